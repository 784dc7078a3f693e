// Package simulated runs several whole nodes in one process over a network in
// memory, for tests of what nodes say to each other: each has its state folder,
// trust store, panes, walky station and role, and its end of the crew link. What
// cmd/collie/daemon adds to that, a front door and a control socket, is left out;
// a phone is a call of Lead.Machine.
//
// Links can be cut, slowed and healed. Whatever has to do with time runs in a
// synctest bubble, where an hour takes no time; a node there has no panes of its
// own, because waiting for a holder process is not durable, and may be given
// other ones with Options.Panes. Nodes with real panes run in real time.
package simulated

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/lead"
	"collie/member"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
	"collie/node/config"
	"collie/node/link"
	"collie/node/pane/origin"
	"collie/node/walky"
)

// Options of a node.
type Options struct {
	// Panes stands for the node's panes where its lead asks for them; optional.
	Panes api.Machine
	// Dialable says that a member tells its lead where it listens. One that does
	// not only dials out, as behind NAT.
	Dialable bool
	// Ahead is how far the node's clock is ahead of the others', as of now; nil for
	// not at all. What it tells has no monotonic reading, so that a jump is one.
	Ahead func() time.Duration
	// Walky bounds its messages; nil for the usual bounds.
	Walky *walky.Limits
}

// now is the node's clock.
func (n *Node) now() time.Time {
	if n.options.Ahead == nil {
		return time.Now()
	}
	return time.Now().Round(0).Add(n.options.Ahead())
}

// A Node is one whole node. It runs from New until the end of its test, but for
// the time between Stop and Start.
type Node struct {
	*node.Node
	Name     string
	Identity *identity.Identity
	Store    *trust.Store
	Lead     *lead.Lead

	t       testing.TB
	network *Network
	host    netip.Addr
	options Options
	member  *member.Member
	local   func() // ends FollowLocal

	endpoint *mesh.Endpoint // nil while it is stopped
	cancel   context.CancelFunc
	work     errgroup.Group

	mu      sync.Mutex // guards what follows
	around  map[string]Around
	instead map[string]http.Handler
}

// NewLead returns the running lead of a crew of one.
func NewLead(t testing.TB, network *Network, name string) *Node {
	t.Helper()
	return NewLeadWith(t, network, name, Options{})
}

// NewLeadWith is NewLead with options.
func NewLeadWith(t testing.TB, network *Network, name string, options Options) *Node {
	t.Helper()
	n := open(t, network, name, options)
	id, err := statement.NewCrewID(rand.Reader)
	n.must(err)
	n.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Found(old, trust.Founding{ID: id, Name: "barn", Label: name, Secret: secret.NewKey(rand.Reader)})
	})
	n.Start()
	return n
}

// NewMember returns a running member of the crew of a running lead, to which it
// has a link.
func NewMember(t testing.TB, network *Network, lead *Node, name string, options Options) *Node {
	t.Helper()
	n := open(t, network, name, options)
	n.Join(lead)
	n.Start()
	n.AwaitLink(lead, true)
	lead.AwaitLink(n, true)
	return n
}

// Join makes a node a member of the crew of a running lead, or a member of it
// once more.
func (n *Node) Join(lead *Node) {
	n.t.Helper()
	token := secret.NewToken(rand.Reader)
	lead.Update(func(old *trust.Crew) (*trust.Crew, error) {
		next, _, err := trust.AddInvite(old, secret.Hash(token), time.Now())
		return next, err
	})
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	result, err := mesh.Join(ctx, mesh.JoinConfig{
		Address: lead.Address(), Token: mesh.InviteToken{Secret: token, Lead: lead.Identity.Fingerprint()}.String(),
		Label: n.Name, Addresses: n.said(), Identity: n.Identity, PacketConn: n.network.socket(n.network.host()),
	})
	n.must(err)
	n.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined(n.Name)) })
}

// open opens a solo node.
func open(t testing.TB, network *Network, name string, options Options) *Node {
	t.Helper()
	n := &Node{t: t, Name: name, network: network, host: network.host(), options: options, around: map[string]Around{}, instead: map[string]http.Handler{}}
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	settings, err := config.Load([]string{"COLLIE_STATE_DIR=" + filepath.Join(dir, "state"), "COLLIE_CONFIG_DIR=" + filepath.Join(dir, "config")})
	n.must(err)
	n.Node, err = node.Open(context.Background(), node.Options{
		Config: settings, Holder: []string{"/proc/self/exe", HoldCommand},
		Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh", "HOME=" + dir}, Origin: origin.Origin{Umask: 0o022, Taken: true},
		Build: "test", Now: n.now, Log: log, Walky: options.Walky,
	})
	n.must(err)
	t.Cleanup(n.close)
	n.Identity, err = trust.EnsureIdentity(n.Folder.Path(trust.IdentityFileName), rand.Reader, n.now())
	n.must(err)
	n.Store, err = trust.Open(n.Folder.Path(trust.FileName), n.now)
	n.must(err)
	n.Lead, n.member = lead.New(n.Node, n.now, log), member.New(n.Node, n.now, log)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Lead.FollowLocal(ctx) }()
	n.local = func() { cancel(); n.ended(<-done) }
	return n
}

// Start opens the node's end of the crew link and plays the role that its store
// says.
func (n *Node) Start() {
	n.t.Helper()
	var table atomic.Pointer[http.Handler]
	endpoint, err := mesh.Listen(context.Background(), mesh.Config{
		Identity: n.Identity, Store: n.Store, Build: "test", ProcessID: secret.NewToken(rand.Reader),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := table.Load(); h != nil {
				n.serve(*h, w, r)
				return
			}
			w.WriteHeader(http.StatusServiceUnavailable) // a peer was faster than the lines below
		}),
		Addresses: n.said, PacketConn: n.network.socket(n.host),
		Now: n.now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	n.must(err)
	n.endpoint = endpoint
	var ctx context.Context
	ctx, n.cancel = context.WithCancel(context.Background())
	var handler http.Handler
	if n.Store.Crew().Role == trust.RoleLead {
		part := lead.Crew{Store: n.Store, Endpoint: endpoint, Identity: n.Identity}
		handler = link.Handler(n.Lead.Routes(part))
		n.work.Go(func() error { return n.Lead.Run(ctx, part) })
	} else {
		part := member.Crew{Store: n.Store, Endpoint: endpoint, Identity: n.Identity}
		handler = link.Handler(n.withPanes(n.member.Routes(part)))
		n.work.Go(func() error { return n.member.Run(ctx, part) })
	}
	table.Store(&handler)
}

// withPanes lets Options.Panes answer what is asked of the node's panes.
func (n *Node) withPanes(routes []link.Route) []link.Route {
	if n.options.Panes == nil {
		return routes
	}
	handlers := n.Handlers(func(*http.Request) (api.Machine, error) { return n.options.Panes, nil }, mesh.BeatEvery)
	handlers.Link = true
	for _, other := range handlers.Routes() {
		for i := range routes {
			if routes[i].Method == other.Method && routes[i].Path == other.Path {
				routes[i].Handle = other.Handle
			}
		}
	}
	return routes
}

// An Around stands around one exchange that a node serves, once all of the request
// is there: it calls serve, which fills in the answer, and may cut the network
// before or after, or give another answer.
type Around func(serve func(), answer *httptest.ResponseRecorder)

// Around has every exchange of a path go through do.
func (n *Node) Around(path string, do Around) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.around[link.Prefix+path] = do
}

// Instead has h answer every exchange of a path, as it comes.
func (n *Node) Instead(path string, h http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.instead[link.Prefix+path] = h
}

func (n *Node) serve(table http.Handler, w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	do, other := n.around[r.URL.Path], n.instead[r.URL.Path]
	n.mu.Unlock()
	if other != nil {
		table = other
	}
	if do == nil {
		table.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, api.MaxRequestBytes))
	if err != nil {
		n.t.Errorf("%s: a request for %s broke off: %v", n.Name, r.URL.Path, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	do(func() { table.ServeHTTP(answer, r) }, answer)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // whom it does not reach is gone
}

// Stop ends the role and the links. The node stays as it is.
func (n *Node) Stop() {
	n.t.Helper()
	if n.endpoint == nil {
		return
	}
	n.cancel()
	n.must(n.endpoint.Close())
	n.ended(n.work.Wait())
	n.work, n.endpoint = errgroup.Group{}, nil
}

func (n *Node) close() {
	n.t.Helper()
	n.Stop()
	if n.local != nil {
		n.local()
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	for _, info := range n.Node.Panes.List() {
		if err := n.Node.Panes.Close(ctx, info.ID); err != nil {
			n.t.Errorf("%s: close a pane: %v", n.Name, err)
		}
	}
	n.must(n.Node.Close())
}

func (n *Node) ended(err error) {
	n.t.Helper()
	if err != nil && !errors.Is(err, context.Canceled) {
		n.t.Errorf("%s ended with: %v", n.Name, err)
	}
}

func (n *Node) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatalf("%s: %v", n.Name, err)
	}
}

// Update changes what the node knows of its crew.
func (n *Node) Update(change func(*trust.Crew) (*trust.Crew, error)) {
	n.t.Helper()
	n.must(n.Store.Update(change))
}

// said is where the node says that it can be dialled.
func (n *Node) said() []string {
	if crew := n.Store.Crew(); n.options.Dialable || crew != nil && crew.Role == trust.RoleLead {
		return []string{n.Address()}
	}
	return nil
}

// Address is where the node listens.
func (n *Node) Address() string { return fmt.Sprintf("%s:%d", n.host, port) }

// ID is the node's member id.
func (n *Node) ID() string { return n.Store.Crew().SelfID }

// Link is what the node knows about its link to another one.
func (n *Node) Link(other *Node) mesh.Link {
	return n.endpoint.LinkState(other.Identity.Fingerprint())
}

// Transport is the node's way to another one.
func (n *Node) Transport(other *Node) http.RoundTripper {
	return n.endpoint.RoundTripper(other.Identity.Fingerprint())
}

// Leave has a member tell its lead that it goes. The node itself stays as it is.
func (n *Node) Leave(ctx context.Context) error {
	return n.member.Leave(ctx, member.Crew{Store: n.Store, Endpoint: n.endpoint, Identity: n.Identity})
}

// Rotate replaces the crew secret of a lead and tells it to its members.
func (n *Node) Rotate() []lead.Told {
	n.t.Helper()
	n.Update(n.rotation)
	told, err := n.Lead.TellSecret(n.t.Context(), lead.Crew{Store: n.Store, Endpoint: n.endpoint, Identity: n.Identity})
	n.must(err)
	return told
}

func (n *Node) rotation(old *trust.Crew) (*trust.Crew, error) {
	return trust.Rotate(old, secret.NewKey(rand.Reader), time.Now())
}
