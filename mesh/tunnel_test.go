package mesh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"collie/mesh"
	"collie/mesh/trust"
)

// TestStrangersEndInTheHandshakeOverTCP as well, although TLS goes on there with
// a client that offers no protocol.
func TestStrangersEndInTheHandshakeOverTCP(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	pinned := certificatesOf(member.id)
	chain := certificatesOf(member.id)
	chain[0].Certificate = append(chain[0].Certificate, mint(t).Certificate())
	for name, test := range map[string]struct {
		stranger
		want string
	}{
		"another certificate":         {stranger{certificatesOf(mint(t)), []string{mesh.ALPNCrew}}, "bad certificate"},
		"no certificate":              {stranger{nil, []string{mesh.ALPNCrew}}, "certificate required"},
		"a certificate and more":      {stranger{chain, []string{mesh.ALPNCrew}}, "bad certificate"},
		"another protocol":            {stranger{pinned, []string{"h2"}}, "no application protocol"},
		"both protocols":              {stranger{pinned, []string{mesh.ALPNCrew, mesh.ALPNEnroll}}, "internal error"},
		"no protocol":                 {stranger{pinned, nil}, "internal error"},
		"enrolment without an invite": {stranger{certificatesOf(mint(t)), []string{mesh.ALPNEnroll}}, "no application protocol"},
		"the lead's own":              {stranger{certificatesOf(lead.id), []string{mesh.ALPNCrew}}, "bad certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			outside, err := tlsTo(ctx, new(net.Dialer).DialContext, lead.address(), test.tls())
			if err == nil { // a client is done before it was judged
				defer func() { _ = outside.Close() }()
				_, err = io.ReadAll(outside)
			}
			if want := "remote error: tls: " + test.want; err == nil || err.Error() != want {
				t.Errorf("it ended with %v, want %s", err, want)
			}
		})
	}
}

func TestTunnelIsForWhoDugItAlone(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	a, b := newMember(t, lead, "a"), newMember(t, lead, "b")
	lead.invite() // so that enrolment is offered
	own := stranger{certificatesOf(a.id), []string{mesh.ALPNCrew}}
	for name, inside := range map[string]stranger{
		"another member":   {certificatesOf(b.id), []string{mesh.ALPNCrew}},
		"another protocol": {certificatesOf(a.id), []string{mesh.ALPNEnroll}},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		outside, err := tlsTo(ctx, new(net.Dialer).DialContext, lead.address(), own.tls())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := through(ctx, t, outside, inside.tls())
		if err == nil {
			<-conn.Context().Done()
			err = context.Cause(conn.Context())
		}
		// This client may see the tunnel's end before it has read why.
		var closed *quic.ApplicationError
		if errors.As(err, &closed) && closed.ErrorCode != 0x14 || !errors.As(err, &closed) && !errors.Is(err, io.EOF) {
			t.Errorf("%s was turned away with %v", name, err)
		}
	}
}

func TestTunnelEndsWithAPacketOfNoPossibleSize(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	for name, sent := range map[string][]byte{
		"nothing":           {0, 0},
		"more than any has": {0xff, 0xff, 0xc0, 0, 0, 0, 1},
		"no QUIC at all":    []byte("GET / HTTP/1.1\r\n\r\n"),
	} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		outside, err := tlsTo(ctx, new(net.Dialer).DialContext, lead.address(), stranger{certificatesOf(member.id), []string{mesh.ALPNCrew}}.tls())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := outside.Write(sent); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if got, err := io.ReadAll(outside); err != nil || len(got) > 0 {
			t.Errorf("%s was answered with %q, %v", name, got, err)
		}
		if took := time.Since(began); took > 7*time.Second {
			t.Errorf("%s was borne for %v", name, took)
		}
		_ = outside.Close()
	}
}

// TestRemovedPeerIsCutOffAtOnce holds it for a link with a live answer under way,
// and that the peer learns why.
func TestRemovedPeerIsCutOffAtOnce(t *testing.T) {
	t.Parallel()
	for by := range ways {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			member := newNode(t)
			s := &streaming{more: make(chan struct{})}
			member.handler = s
			lead := linkedBy(t, by, member)
			resp, err := lead.call(member, http.MethodGet, "/live", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			s.awaitAlive(t, 1)
			changed, stop := member.endpoint.Watch(lead.fp())
			defer stop()
			began := time.Now()
			lead.update(func(old *trust.Crew) (*trust.Crew, error) {
				return trust.RemoveMember(old, "atlas", lead.id, time.Now())
			})
			for member.endpoint.LinkState(lead.fp()).Up {
				<-changed
			}
			took := time.Since(began)
			if took > time.Second {
				t.Errorf("it took %v", took)
			}
			if reason := member.endpoint.LinkState(lead.fp()).Reason; reason != mesh.ErrRevoked.Error() {
				t.Errorf("the peer is told %q", reason)
			}
			s.awaitAlive(t, 0)
			t.Logf("closed after %v", took)
		})
	}
}

func TestExchangesOverTCPAreTheSame(t *testing.T) {
	t.Parallel()
	member := newNode(t)
	member.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("a bug")
		}
		if _, err := io.Copy(w, r.Body); err != nil && r.Context().Err() == nil {
			t.Errorf("reading the request: %v", err)
		}
	})
	lead := linkedBy(t, "tcp", member)
	sent := make([]byte, 3<<20) // thrice a stream's window
	for i := range sent {
		sent[i] = byte(i * 7)
	}
	resp, err := lead.call(member, http.MethodPost, "/echo", bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came back, %v, want %d", len(got), err, len(sent))
	}
	if _, err := lead.call(member, http.MethodGet, "/panic", nil); !errors.Is(err, mesh.ErrNoAnswer) {
		t.Errorf("a handler that panics: %v", err)
	}
	if got := lead.get(member, "/x"); got != "200 " {
		t.Errorf("afterwards: %s", got)
	}
}

func TestPeerOverTCPThatIsStartedAgainIsServedAgain(t *testing.T) {
	t.Parallel()
	member := newNode(t)
	lead := linkedBy(t, "tcp", member)
	lead.stop()
	link := member.await(lead, "down", down)
	if link.Reason != mesh.ErrClosed.Error() {
		t.Errorf("the peer is told %q", link.Reason)
	}
}

func TestTwoProcessesUnderOnePinAreAConflictOverTCPToo(t *testing.T) {
	t.Parallel()
	member := newNode(t)
	lead := linkedBy(t, "tcp", member)
	twin := newNode(t)
	twin.id, twin.store = member.id, member.store
	twin.run()
	twin.maintain(lead)
	link := lead.await(member, "conflicted", func(l mesh.Link) bool { return l.State == mesh.StateConflicted })
	if !link.Up || link.Reason != mesh.ErrDuplicate.Error() {
		t.Errorf("the lead sees %+v", link)
	}
	twin.await(lead, "conflicted", func(l mesh.Link) bool { return !l.Up && l.State == mesh.StateConflicted })
	if got := member.get(lead, "/x"); got != "200 true member atlas /x" {
		t.Errorf("the first one is served with %s", got)
	}
}
