package mesh_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
)

// stranger speaks QUIC without our code, as an attacker would.
type stranger struct {
	certificates []tls.Certificate
	protocols    []string
}

// dial completes a handshake as far as the client can tell.
func (s stranger) dial(t testing.TB, to *node) *quic.Conn {
	t.Helper()
	conn, err := s.tryDial(t, to)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func (s stranger) tryDial(t testing.TB, to *node) (*quic.Conn, error) {
	t.Helper()
	return s.dialBy(quicWay, t, to)
}

func (s stranger) tls() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, NextProtos: s.protocols, Certificates: s.certificates,
	}
}

// dialBy is tryDial by another way.
func (s stranger) dialBy(by way, t testing.TB, to *node) (*quic.Conn, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := by(ctx, t, to.address(), s.tls())
	if err == nil {
		t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	}
	return conn, err
}

// refused returns the error code with which the other side ended a handshake.
func refused(t testing.TB, conn *quic.Conn, err error) string {
	t.Helper()
	if err == nil {
		select {
		case <-conn.Context().Done():
			err = context.Cause(conn.Context())
		case <-time.After(limit):
			return "nothing"
		}
	}
	var transport *quic.TransportError
	if !errors.As(err, &transport) || !transport.Remote {
		return err.Error()
	}
	return fmt.Sprintf("%#x", uint64(transport.ErrorCode))
}

func certificatesOf(ids ...*identity.Identity) []tls.Certificate {
	var all []tls.Certificate
	for _, id := range ids {
		all = append(all, id.TLSCertificate())
	}
	return all
}

func mint(t testing.TB) *identity.Identity {
	t.Helper()
	id, err := identity.Generate(rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestStrangersEndInTheHandshake(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	lead.handler = nil
	member := newMember(t, lead, "atlas")
	pinned := certificatesOf(member.id)
	chain := certificatesOf(member.id)
	chain[0].Certificate = append(chain[0].Certificate, mint(t).Certificate())
	const badCertificate, certificateRequired, noProtocol, internal = "0x12a", "0x174", "0x178", "0x150"
	for name, test := range map[string]struct {
		stranger
		want string
	}{
		"another certificate":        {stranger{certificatesOf(mint(t)), []string{mesh.ALPNCrew}}, badCertificate},
		"no certificate":             {stranger{nil, []string{mesh.ALPNCrew}}, certificateRequired},
		"a certificate and more":     {stranger{chain, []string{mesh.ALPNCrew}}, badCertificate},
		"another protocol":           {stranger{pinned, []string{"h3"}}, noProtocol},
		"both protocols":             {stranger{pinned, []string{mesh.ALPNCrew, mesh.ALPNEnroll}}, internal},
		"ours and another":           {stranger{pinned, []string{mesh.ALPNCrew, "h3"}}, internal},
		"enrolment without a invite": {stranger{certificatesOf(mint(t)), []string{mesh.ALPNEnroll}}, noProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := test.tryDial(t, lead)
			if got := refused(t, conn, err); got != test.want {
				t.Errorf("refused with %s, want %s", got, test.want)
			}
		})
	}
}

func TestNoProtocolAtAllEndsInTheHandshake(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	conn, err := stranger{certificates: certificatesOf(member.id)}.tryDial(t, lead)
	if err == nil {
		if got := refused(t, conn, err); got == "nothing" {
			t.Error("a client without a protocol was let in")
		}
	}
}

func TestNoTicketOutlivesAPin(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	cache := &countingCache{}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := quic.DialAddr(ctx, lead.address(), &tls.Config{
		MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, NextProtos: []string{mesh.ALPNCrew},
		Certificates: certificatesOf(member.id), ClientSessionCache: cache,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw := rawCrew{t: t, conn: conn, from: member, to: lead}
	if got := raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n"); !strings.HasPrefix(got, "200") {
		t.Errorf("hello: %s", got)
	}
	_ = conn.CloseWithError(0, "")
	if cache.puts > 0 {
		t.Error("a session ticket was given out")
	}
}

type countingCache struct{ puts int }

func (c *countingCache) Get(string) (*tls.ClientSessionState, bool) { return nil, false }

func (c *countingCache) Put(string, *tls.ClientSessionState) { c.puts++ }

const bare401 = `401 {"error":"unauthorized"}`

func TestWithoutTheSecretEveryCallIsTheBare401(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	raw := rawLinked(t, lead)
	secret := raw.from.store.Crew().Secret
	good := raw.proof(secret)
	other := newRaw(t, raw.from, lead).proof(secret) // of another connection
	swapped := rawCrew{t: t, conn: raw.conn, from: lead, to: raw.from}.proof(secret)
	for name, header := range map[string]string{
		"none":                  "",
		"empty":                 "Authorization: \r\n",
		"another secret":        "Authorization: " + raw.proof(make([]byte, 32)) + "\r\n",
		"an empty secret":       "Authorization: " + raw.proof(nil) + "\r\n",
		"another connection's":  "Authorization: " + other + "\r\n",
		"the other direction's": "Authorization: " + swapped + "\r\n",
		"the secret itself":     "Authorization: Collie " + base64.RawURLEncoding.EncodeToString(secret) + "\r\n",
		"another scheme":        "Authorization: Bearer " + strings.TrimPrefix(good, "Collie ") + "\r\n",
		"cut":                   "Authorization: " + good[:len(good)-1] + "\r\n",
		"another case":          "Authorization: " + strings.Replace(good, "Collie", "collie", 1) + "\r\n",
	} {
		for _, path := range []string{"/crew/v1/hello", "/crew/v1/who", "/anything"} {
			if got := raw.ask("GET " + path + " HTTP/1.1\r\nHost: x\r\nCollie-Crew: 1\r\n" + header + "\r\n"); got != bare401 {
				t.Errorf("%s: %s answered %s", name, path, got)
			}
		}
	}
	if got := raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("with the right proof: %s", got)
	}
}

func TestUnconfirmedMemberMaySayHelloAndNothingElse(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newNode(t)
	result, err := mesh.Join(context.Background(), member.joinConfig(lead, "atlas"))
	if err != nil {
		t.Fatal(err)
	}
	member.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined("atlas")) })
	raw := newRaw(t, member, lead)
	for _, request := range []string{"GET /crew/v1/who", "POST /crew/v1/hello", "GET /crew/v1/hello/", "GET /crew/v1/leave"} {
		if got := raw.ask(request + " HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n"); got != bare401 {
			t.Errorf("%s answered %s", request, got)
		}
	}
	if m, _ := lead.store.Crew().Member("atlas"); m.State != trust.StateUnconfirmed {
		t.Errorf("it is %s already", m.State)
	}
	raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n")
	if m, _ := lead.store.Crew().Member("atlas"); m.State != trust.StateEnrolled {
		t.Errorf("after hello it is %s", m.State)
	}
}

func TestAnotherVersionIsToldBoth(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	raw := rawLinked(t, lead)
	proof := "Authorization: " + raw.proof(raw.from.store.Crew().Secret) + "\r\n"
	for header, received := range map[string]string{"Collie-Crew: 2\r\n": "2", "": "0", "Collie-Crew: x\r\n": "0"} {
		want := `409 {"error":"another version of the protocol is spoken here","code":"protocol_mismatch","expected":1,"received":` + received + `}`
		if got := raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n" + proof + header + "\r\n"); got != want {
			t.Errorf("%q: %s", header, got)
		}
	}
}

func TestRequestsThatTheLinkHasNoPlaceForAreRefused(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	raw := rawLinked(t, lead)
	raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n")
	for name, text := range map[string]string{
		"an upgrade":       "GET /x HTTP/1.1\r\nHost: x\r\n%PROOF%Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"CONNECT":          "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n%PROOF%\r\n",
		"trailers":         "POST /x HTTP/1.1\r\nHost: x\r\n%PROOF%Transfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n0\r\nX-A: 1\r\n\r\n",
		"two proofs":       "GET /x HTTP/1.1\r\nHost: x\r\n%PROOF%Authorization: x\r\n\r\n",
		"two versions":     "GET /x HTTP/1.1\r\nHost: x\r\n%PROOF%Collie-Crew: 1\r\n\r\n",
		"two device names": "GET /x HTTP/1.1\r\nHost: x\r\n%PROOF%Collie-Device: a\r\nCollie-Device: b\r\n\r\n",
		"an old version":   "GET /x HTTP/1.0\r\nHost: x\r\n%PROOF%\r\n",
		"a whole URL":      "GET http://x/x HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n",
		"no host":          "GET /x HTTP/1.1\r\n%PROOF%\r\n",
	} {
		if got := raw.ask(text); !strings.HasPrefix(got, "400 ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := raw.ask("GET /x HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("a", mesh.MaxHeader+8<<10) + "\r\n%PROOF%\r\n"); !strings.HasPrefix(got, "431 ") {
		t.Errorf("a long header: %s", got)
	}
	if got := raw.ask("GET /x HTTP/1.1\r\nHost: x\r\n%PROOF%\r\nGET /y HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n"); got != "200 true member atlas /x" {
		t.Errorf("two requests on a stream: %s", got)
	}
}

func TestLeadsOwnCertificateAndStrangersAreNoPeers(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	conn, err := stranger{certificatesOf(lead.id), []string{mesh.ALPNCrew}}.tryDial(t, lead)
	if got := refused(t, conn, err); got != "0x12a" {
		t.Errorf("a node that dials itself is refused with %s", got)
	}
}

// TestSomebodyElseAtAnAddressIsNotTakenForThePeer is trial C07: success was
// assumed before the identity was compared with the expected one.
func TestSomebodyElseAtAnAddressIsNotTakenForThePeer(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	a, b := newMember(t, lead, "a"), newMember(t, lead, "b")
	for _, n := range []*node{a, b} {
		stop := n.maintain(lead)
		lead.await(n, "up", up)
		if n == a {
			stop()
			a.stop()
			lead.await(a, "down", down)
		}
	}
	before := lead.endpoint.LinkState(b.fp())
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := lead.endpoint.Dial(ctx, a.fp(), []string{b.address()}); !errors.Is(err, mesh.ErrWrongNode) {
		t.Errorf("dialling a at b's address: %v", err)
	}
	if lead.endpoint.LinkState(a.fp()).Up {
		t.Error("a is shown as up")
	}
	if after := lead.endpoint.LinkState(b.fp()); !after.Up || !after.Since.Equal(before.Since) {
		t.Errorf("b was touched: %+v, before %+v", after, before)
	}
}
