package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/crypto/atomicfile"
	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/lead"
	"collie/member"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/link"
)

// resetKeyName is the file of the key with which peers notice a restart.
const resetKeyName = "mesh-reset.key"

// roles plays the role that the trust store says. While the node is solo there
// is no key and no open UDP port.
type roles struct {
	daemon    *daemon
	processID string

	mu       sync.Mutex // guards what follows
	endpoint *mesh.Endpoint
	identity *identity.Identity
	moved    chan struct{} // closed and replaced when the endpoint changes
	told     []string      // addresses that the operator gave with an invite

	ready chan struct{} // closed once the first role is played
}

func newRoles(d *daemon) *roles {
	return &roles{daemon: d, processID: secret.NewToken(rand.Reader), moved: make(chan struct{}), ready: make(chan struct{})}
}

// settled waits until the node plays its first role.
func (r *roles) settled(ctx context.Context) bool {
	select {
	case <-r.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

// run follows the trust store until ctx ends.
func (r *roles) run(ctx context.Context) error {
	var once sync.Once
	ready := func() { once.Do(func() { close(r.ready) }) }
	if r.daemon.store == nil {
		ready()
		<-ctx.Done()
		return ctx.Err()
	}
	changed, stop := r.daemon.store.Watch()
	defer stop()
	for ctx.Err() == nil {
		crew := r.daemon.store.Crew()
		if crew == nil {
			ready()
			select {
			case <-ctx.Done():
			case <-changed:
			}
			continue
		}
		if err := r.play(ctx, crew, ready); ctx.Err() == nil && err != nil {
			r.daemon.options.Log.Error("the crew link is down", "error", err)
			ready()
			select { // what stops it may be mended: a port in use, a file
			case <-ctx.Done():
			case <-changed:
			case <-time.After(10 * time.Second):
			}
		}
	}
	return ctx.Err()
}

// play opens the link and plays one role, until that is no longer the role.
func (r *roles) play(ctx context.Context, crew *trust.Crew, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := r.daemon
	own, err := trust.LoadIdentity(d.node.Folder.Path(trust.IdentityFileName))
	if err != nil {
		return err
	}
	resetKey, err := r.resetKey()
	if err != nil {
		return err
	}
	var table atomic.Pointer[http.Handler]
	endpoint, err := mesh.Listen(ctx, mesh.Config{
		Address: d.options.Config.Get("COLLIE_MESH_LISTEN"), Identity: own, Store: d.store,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if h := table.Load(); h != nil {
				(*h).ServeHTTP(w, request)
				return
			}
			w.WriteHeader(http.StatusServiceUnavailable) // a peer was faster than the lines below
		}),
		Addresses: r.addresses, Enrolled: d.auditEnrolled,
		Build: d.options.Build, ProcessID: r.processID, ResetKey: resetKey,
		Now: time.Now, Rand: rand.Reader, Log: d.options.Log,
	})
	if err != nil {
		return err
	}
	serve := func(routes []link.Route) {
		handler := link.Handler(routes)
		table.Store(&handler)
	}
	var work errgroup.Group
	if crew.Role == trust.RoleLead {
		part := lead.Crew{Store: d.store, Endpoint: endpoint, Identity: own}
		serve(d.lead.Routes(part))
		work.Go(func() error { return ended(d.lead.Run(ctx, part)) })
	} else {
		part := member.Crew{Store: d.store, Endpoint: endpoint, Identity: own}
		serve(d.member.Routes(part))
		work.Go(func() error { return ended(d.member.Run(ctx, part)) })
	}
	r.set(endpoint, own)
	ready()
	err = r.untilOther(ctx, crew)
	r.set(nil, nil)
	cancel()
	return errors.Join(err, endpoint.Close(), work.Wait())
}

// untilOther waits until the store says another role, crew or lead.
func (r *roles) untilOther(ctx context.Context, crew *trust.Crew) error {
	changed, stop := r.daemon.store.Watch()
	defer stop()
	for {
		now := r.daemon.store.Crew()
		if now == nil || now.ID != crew.ID || now.Role != crew.Role || now.SelfID != crew.SelfID || leadOf(now) != leadOf(crew) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func leadOf(crew *trust.Crew) identity.Fingerprint {
	if crew.Lead == nil {
		return identity.Fingerprint{}
	}
	return crew.Lead.Fingerprint
}

func (r *roles) set(endpoint *mesh.Endpoint, own *identity.Identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoint, r.identity = endpoint, own
	close(r.moved)
	r.moved = make(chan struct{})
}

// link returns the endpoint that is open now, waiting for it up to the end of
// ctx.
func (r *roles) link(ctx context.Context) (*mesh.Endpoint, *identity.Identity, error) {
	for {
		r.mu.Lock()
		endpoint, own, moved := r.endpoint, r.identity, r.moved
		r.mu.Unlock()
		if endpoint != nil {
			return endpoint, own, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-moved:
		}
	}
}

// tell sets the addresses that the operator gave with an invite.
func (r *roles) tell(addresses []string) {
	if len(addresses) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = addresses
}

// open returns the endpoint that is open now, or nil.
func (r *roles) open() *mesh.Endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endpoint
}

// addresses are where members find this node: what the operator said with the
// last invite, else where the link listens.
func (r *roles) addresses() []string {
	r.mu.Lock()
	told, endpoint := r.told, r.endpoint
	r.mu.Unlock()
	if len(told) > 0 || endpoint == nil {
		return told
	}
	return reachable(endpoint.Addr())
}

// reachable lists the addresses of a socket: its own, or for one that listens
// everywhere those of this machine that others can reach.
func reachable(bound net.Addr) []string {
	udp, ok := bound.(*net.UDPAddr)
	if !ok {
		return nil
	}
	port := strconv.Itoa(udp.Port)
	if !udp.IP.IsUnspecified() {
		return []string{net.JoinHostPort(udp.IP.String(), port)}
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var all []string
	for _, address := range interfaces {
		network, ok := address.(*net.IPNet)
		if ok && network.IP.IsGlobalUnicast() && len(all) < trust.MaxAddresses {
			all = append(all, net.JoinHostPort(network.IP.String(), port))
		}
	}
	return all
}

func (r *roles) resetKey() (key [32]byte, err error) {
	path := r.daemon.node.Folder.Path(resetKeyName)
	data, err := atomicfile.Read(path, int64(len(key)))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := io.ReadFull(rand.Reader, key[:]); err != nil {
			return key, err
		}
		return key, atomicfile.Write(path, key[:])
	}
	if err != nil || copy(key[:], data) != len(key) {
		return key, fmt.Errorf("read %s: %w", path, errors.Join(err, os.ErrInvalid))
	}
	return key, nil
}
