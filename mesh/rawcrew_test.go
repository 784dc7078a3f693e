package mesh_test

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"collie/mesh"
	"collie/mesh/trust"
)

// rawCrew sends bytes on streams of a connection that a member's certificate
// opened.
type rawCrew struct {
	t        testing.TB
	conn     *quic.Conn
	from, to *node
}

func newRaw(t testing.TB, from, to *node) rawCrew {
	t.Helper()
	return newRawBy(quicWay, t, from, to)
}

func newRawBy(by way, t testing.TB, from, to *node) rawCrew {
	t.Helper()
	conn, err := stranger{certificatesOf(from.id), []string{mesh.ALPNCrew}}.dialBy(by, t, to)
	if err != nil {
		t.Fatal(err)
	}
	return rawCrew{t: t, conn: conn, from: from, to: to}
}

// proof returns the value of the header that a holder of a secret sends.
func (r rawCrew) proof(secret []byte) string {
	r.t.Helper()
	state := r.conn.ConnectionState().TLS
	binding, err := state.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, 32) // RFC 9266
	if err != nil {
		r.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, secret)
	caller, callee := r.from.fp(), r.to.fp()
	mac.Write(binding)
	mac.Write(caller[:])
	mac.Write(callee[:])
	return "Collie " + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ask sends bytes on a new stream, with the right proof and version in the place
// of %PROOF%, and returns the status and the body that come back.
func (r rawCrew) ask(text string) string {
	r.t.Helper()
	text = strings.ReplaceAll(text, "%PROOF%", "Authorization: "+r.proof(r.from.store.Crew().Secret)+"\r\nCollie-Crew: 1\r\n")
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	stream, err := r.conn.OpenStreamSync(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := stream.SetDeadline(time.Now().Add(limit)); err != nil {
		r.t.Fatal(err)
	}
	if _, err := io.WriteString(stream, text); err != nil {
		return err.Error()
	}
	resp, err := http.ReadResponse(bufio.NewReader(stream), nil)
	if err != nil {
		return err.Error()
	}
	return read(r.t, resp)
}

// rawLinked is a member without an endpoint of its own. Its hello is answered, so
// that the lead's side counts the link.
func rawLinked(t testing.TB, lead *node) rawCrew {
	t.Helper()
	return rawLinkedBy(quicWay, t, lead, newNode(t).joinConfig(lead, "atlas"))
}

func rawLinkedBy(by way, t testing.TB, lead *node, config mesh.JoinConfig) rawCrew {
	t.Helper()
	member := newNode(t)
	config.Identity = member.id
	result, err := mesh.Join(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	member.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined(config.Label)) })
	raw := newRawBy(by, t, member, lead)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			stream, err := raw.conn.AcceptStream(context.Background())
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(stream)); err == nil {
				body := `{"protocol":1,"memberId":"atlas","processId":"raw"}`
				fmt.Fprintf(stream, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			}
			_ = stream.Close()
		}
	}()
	t.Cleanup(func() {
		_ = raw.conn.CloseWithError(0, "")
		<-done
	})
	return raw
}
