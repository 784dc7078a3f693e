package mesh_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how long a test waits for what has to come.
const limit = 40 * time.Second

// node is one node of a test: its identity, its store and, while it runs, its
// endpoint.
type node struct {
	t         testing.TB
	id        *identity.Identity
	store     *trust.Store
	resetKey  [32]byte
	processID string
	handler   http.Handler
	endpoint  *mesh.Endpoint
	bound     atomic.Pointer[string]   // the endpoint's address, kept over restarts
	said      atomic.Pointer[[]string] // where it says that it is; where it is, without
	socket    net.PacketConn           // optional, as are the next two
	tcp       net.Listener
	dialTCP   mesh.DialFunc
	clock     func() time.Time
	beat      time.Duration // optional, as are the next two
	uptime    func() time.Duration
	conflict  func(identity.Fingerprint, mesh.Conflict)
}

// unbound is the address of an endpoint that draws its port.
const unbound = "127.0.0.1:0"

func newNode(t testing.TB) *node {
	t.Helper()
	id, err := identity.Generate(rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	store, err := trust.Open(filepath.Join(t.TempDir(), trust.FileName), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, id: id, store: store, processID: secret.NewToken(rand.Reader)[:16], handler: http.HandlerFunc(whoami), clock: time.Now}
	n.bind(unbound)
	copy(n.resetKey[:], secret.NewKey(rand.Reader))
	return n
}

func (n *node) address() string { return *n.bound.Load() }

func (n *node) bind(address string) { n.bound.Store(&address) }

// whoami answers who the caller is.
func whoami(w http.ResponseWriter, r *http.Request) {
	peer, ok := mesh.PeerFrom(r.Context())
	fmt.Fprintf(w, "%v %s %s %s", ok, peer.Grade, peer.MemberID, r.URL)
}

// run starts the node's endpoint.
func (n *node) run() *node {
	n.t.Helper()
	config := mesh.Config{
		Address: n.address(), Identity: n.id, Store: n.store, Handler: n.handler, Build: "test",
		ProcessID: n.processID, ResetKey: n.resetKey, Now: n.clock, PacketConn: n.socket, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		TCPListener: n.tcp, DialTCP: n.dialTCP, Beat: n.beat, Uptime: n.uptime, Conflict: n.conflict,
	}
	config.Addresses = func() []string {
		if said := n.said.Load(); said != nil {
			return *said
		}
		return []string{n.address()}
	}
	endpoint, err := mesh.Listen(context.Background(), config)
	for range 9 { // another process may have the port that was drawn, for TCP
		if err != nil || config.Address != unbound {
			break
		}
		if _, taken := endpoint.Fallback(); taken == nil {
			break
		}
		if err = endpoint.Close(); err == nil {
			endpoint, err = mesh.Listen(context.Background(), config)
		}
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.endpoint = endpoint
	n.bind(endpoint.Addr().String())
	n.t.Cleanup(func() { n.stopIf(endpoint) })
	return n
}

func (n *node) stopIf(endpoint *mesh.Endpoint) {
	if n.endpoint == endpoint {
		n.stop()
	}
}

func (n *node) stop() {
	n.t.Helper()
	if err := n.endpoint.Close(); err != nil {
		n.t.Errorf("Close: %v", err)
	}
	n.endpoint = nil
}

func (n *node) fp() identity.Fingerprint { return n.id.Fingerprint() }

func (n *node) update(change func(*trust.Crew) (*trust.Crew, error)) {
	n.t.Helper()
	if err := n.store.Update(change); err != nil {
		n.t.Fatal(err)
	}
}

// newLead returns a running lead of a crew of one.
func newLead(t testing.TB) *node {
	t.Helper()
	return unstartedLead(t).run()
}

func unstartedLead(t testing.TB) *node {
	t.Helper()
	n := newNode(t)
	n.update(func(old *trust.Crew) (*trust.Crew, error) {
		id, err := statement.NewCrewID(rand.Reader)
		if err != nil {
			return nil, err
		}
		return trust.Found(old, trust.Founding{ID: id, Name: "barn", Label: "lead", Secret: secret.NewKey(rand.Reader)})
	})
	return n
}

// invite returns a token for n's crew.
func (n *node) invite() string {
	n.t.Helper()
	token := mesh.InviteToken{Secret: secret.NewToken(rand.Reader), Lead: n.fp()}
	n.update(func(old *trust.Crew) (*trust.Crew, error) {
		next, _, err := trust.AddInvite(old, secret.Hash(token.Secret), n.clock())
		return next, err
	})
	return token.String()
}

// joinConfig is how n joins the crew of a lead.
func (n *node) joinConfig(lead *node, label string) mesh.JoinConfig {
	return mesh.JoinConfig{Address: lead.address(), Token: lead.invite(), Label: label, Identity: n.id, Build: "test"}
}

// joined makes n, which must not run yet, a member of a lead and starts it.
func (n *node) joined(lead *node, label string) *node {
	n.t.Helper()
	result, err := mesh.Join(context.Background(), n.joinConfig(lead, label))
	if err != nil {
		n.t.Fatal(err)
	}
	n.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined(label)) })
	return n.run()
}

// newMember returns a running member of a lead. It has no link yet.
func newMember(t testing.TB, lead *node, label string) *node {
	t.Helper()
	return newNode(t).joined(lead, label)
}

// maintain keeps n dialling another node until the test ends or stop is called.
func (n *node) maintain(other *node) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	endpoint := n.endpoint
	go func() {
		defer close(done)
		endpoint.Maintain(ctx, other.fp(), func() []string { return []string{other.address()} })
	}()
	stop = func() { cancel(); <-done }
	n.t.Cleanup(stop)
	return stop
}

// await waits until the link from n to another node is as wanted.
func (n *node) await(other *node, what string, want func(mesh.Link) bool) mesh.Link {
	n.t.Helper()
	changed, stop := n.endpoint.Watch(other.fp())
	defer stop()
	deadline := time.After(limit)
	for {
		link := n.endpoint.LinkState(other.fp())
		if want(link) {
			return link
		}
		select {
		case <-changed:
		case <-time.After(100 * time.Millisecond): // some of it changes without a signal
		case <-deadline:
			n.t.Fatalf("the link is never %s; it is %+v", what, link)
		}
	}
}

func up(l mesh.Link) bool   { return l.Up && l.State == mesh.StateReachable }
func down(l mesh.Link) bool { return !l.Up }

// linked is a lead and a member with a link that the member dialled.
func linked(t testing.TB) (lead, member *node) {
	t.Helper()
	lead = newLead(t)
	member = newMember(t, lead, "atlas")
	member.maintain(lead)
	member.await(lead, "up", up)
	lead.await(member, "up", up)
	return lead, member
}

// call sends a request from n to another node.
func (n *node) call(other *node, method, path string, body io.Reader) (*http.Response, error) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	n.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		n.t.Fatal(err)
	}
	return n.endpoint.RoundTripper(other.fp()).RoundTrip(req)
}

// get returns the status and the body of an answer.
func (n *node) get(other *node, path string) string {
	n.t.Helper()
	resp, err := n.call(other, http.MethodGet, path, nil)
	if err != nil {
		return err.Error()
	}
	return read(n.t, resp)
}

func read(t testing.TB, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("the answer broke off: %v", err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, body)
}

func TestEitherSideIsServedOnTheConnectionThatTheMemberDialled(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	if l := lead.endpoint.LinkState(member.fp()); l.Dialled || l.Via != "quic" || l.RTT <= 0 || l.MemberID != "atlas" || l.Build != "test" {
		t.Errorf("the lead sees %+v", l)
	}
	if l := member.endpoint.LinkState(lead.fp()); !l.Dialled {
		t.Errorf("the member sees %+v", l)
	}
	if got := member.get(lead, "/crew/v1/who?a=b"); got != "200 true member atlas /crew/v1/who?a=b" {
		t.Errorf("member to lead: %s", got)
	}
	if got := lead.get(member, "/crew/v1/pane/a%2Fb"); got != "200 true lead lead /crew/v1/pane/a%2Fb" {
		t.Errorf("lead to member: %s", got)
	}
	if m, _ := lead.store.Crew().Member("atlas"); m.State != trust.StateEnrolled || m.SecretGeneration != 1 {
		t.Errorf("the member is stored as %+v", m)
	}
}

func TestBodiesPassWholeBothWays(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newNode(t)
	member.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(w, r.Body); err != nil {
			t.Errorf("reading the request: %v", err)
		}
	})
	member.joined(lead, "atlas").maintain(lead)
	lead.await(member, "up", up)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // 3 MiB, thrice a stream's window
	resp, err := lead.call(member, http.MethodPost, "/echo", bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came back, %v, want %d", len(got), err, len(sent))
	}
}

func TestWithoutALinkNothingIsSent(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	if _, err := lead.call(member, http.MethodPost, "/x", nil); !errors.Is(err, mesh.ErrUnreachable) || errors.Is(err, mesh.ErrNoAnswer) {
		t.Errorf("without a link: %v", err)
	}
}

func TestRemovingAMemberCutsItsLinkAtOnce(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	began := time.Now()
	lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RemoveMember(old, "atlas", lead.id, time.Now())
	})
	link := member.await(lead, "down", down)
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
	if link.State != mesh.StateUnreachable {
		t.Errorf("the member sees %+v", link)
	}
	if _, err := member.call(lead, http.MethodGet, "/x", nil); !errors.Is(err, mesh.ErrUnreachable) {
		t.Errorf("a call afterwards: %v", err)
	}
	member.await(lead, "refused", func(l mesh.Link) bool {
		return l.Reason == mesh.ErrNotPinned.Error() || l.Reason == lead.address()+": "+mesh.ErrNotPinned.Error()
	})
}

func TestLeavingEndsTheLinkFromTheMembersSide(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	member.update(trust.Leave)
	lead.await(member, "down", down)
}
