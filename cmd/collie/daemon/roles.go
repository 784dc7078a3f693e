package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
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
	"collie/standby"
)

// resetKeyName is the file of the key with which peers notice a restart.
const resetKeyName = "mesh-reset.key"

// A part is the role that a node plays in its crew, with its open link. It does
// not change.
type part struct {
	crew     *trust.Crew // as it was when the part began
	endpoint *mesh.Endpoint
	identity *identity.Identity
}

// roles plays the role that the trust store says. While the node is solo there
// is no key and no open UDP port.
type roles struct {
	daemon    *daemon
	processID string
	retry     time.Duration // between two tries to open the link
	settled   chan struct{} // closed once the first role is played, or failed

	mu      sync.Mutex // guards what follows
	now     *part      // nil while the link is not open
	trouble trouble
	moved   chan struct{} // closed and replaced with each change of the two
}

// trouble is why a crew's link is not open.
type trouble struct {
	crew *trust.Crew
	err  error
}

func newRoles(d *daemon) *roles {
	return &roles{
		daemon: d, processID: secret.NewToken(rand.Reader), retry: linkRetry,
		settled: make(chan struct{}), moved: make(chan struct{}),
	}
}

// run follows the trust store until ctx ends.
func (r *roles) run(ctx context.Context) error {
	settled := sync.OnceFunc(func() { close(r.settled) })
	if r.daemon.store == nil {
		settled()
		<-ctx.Done()
		return ctx.Err()
	}
	changed, stop := r.daemon.store.Watch()
	defer stop()
	for {
		var again <-chan time.Time
		if crew := r.daemon.store.Crew(); plays(crew) {
			err := r.play(ctx, crew, settled)
			if ctx.Err() != nil {
				return err
			}
			if err == nil {
				continue // the role is another one now
			}
			r.daemon.options.Log.Error("the crew link is down", "error", err, "again in", r.retry)
			r.set(nil, trouble{crew, err})
			again = time.After(r.retry) // what stops it may be mended: a port in use, a file
		} else {
			r.set(nil, trouble{})
			r.daemon.settleDevices()
		}
		settled()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-again:
		}
	}
}

// play opens the link and plays the node's roles over it, one after the other,
// for as long as it is the same member of the same crew: a change of lead closes
// no link but those whose pin goes.
func (r *roles) play(ctx context.Context, crew *trust.Crew, settled func()) error {
	d := r.daemon
	if crew.KeyDue {
		return d.drawKey()
	}
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
		Addresses: d.addresses, Enrolled: d.auditEnrolled, Recipient: d.recipient(), Called: d.standby.Heard,
		Conflict: func(peer identity.Fingerprint, told mesh.Conflict) {
			id, _ := d.store.Crew().Pin(peer)
			d.standby.Conflicted(id, told)
		},
		Build: d.options.Build, ProcessID: r.processID, ResetKey: resetKey, Beat: d.options.Config.Millis("COLLIE_BEAT_MS"),
		Now: time.Now, Rand: rand.Reader, Log: d.options.Log,
	})
	if err != nil {
		return err
	}
	for now := crew; err == nil && ctx.Err() == nil && plays(now) && sameSelf(crew, now); now = d.store.Crew() {
		err = r.act(ctx, &part{now, endpoint, own}, &table, settled)
	}
	return errors.Join(err, endpoint.Close())
}

// act plays one role, until that is no longer the role.
func (r *roles) act(ctx context.Context, now *part, table *atomic.Pointer[http.Handler], settled func()) error {
	d := r.daemon
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	work, ctx := errgroup.WithContext(stopping) // also when the work fails, the part is over
	serve := func(routes []link.Route) {
		handler := link.Handler(append(routes, d.standby.Routes(now.crew.Role)...))
		table.Store(&handler)
	}
	work.Go(func() error {
		return ended(d.standby.Run(ctx, standby.Node{Identity: now.identity, Peers: standby.Over(now.endpoint)}))
	})
	work.Go(func() error { d.standby.KeepLinks(ctx, now.endpoint); return nil })
	if now.crew.Role == trust.RoleLead {
		as := lead.Crew{Store: d.store, Endpoint: now.endpoint, Identity: now.identity}
		serve(d.lead.Routes(as))
		work.Go(func() error { return ended(d.lead.Run(ctx, as)) })
	} else {
		as := member.Crew{Store: d.store, Endpoint: now.endpoint, Identity: now.identity}
		serve(d.member.Routes(as))
		work.Go(func() error { return ended(d.member.Run(ctx, as)) })
	}
	r.set(now, trouble{})
	work.Go(func() error {
		select {
		case <-r.settled:
		default: // the node was just started: who else leads, if anybody does?
			d.standby.Gate(ctx, now.endpoint)
		}
		settled()
		return nil
	})
	r.untilOther(ctx, now.crew)
	stop()
	r.set(nil, trouble{})
	return work.Wait()
}

// untilOther waits until the store says another role, or ctx ends.
func (r *roles) untilOther(ctx context.Context, crew *trust.Crew) {
	changed, stop := r.daemon.store.Watch()
	defer stop()
	for sameRole(crew, r.daemon.store.Crew()) {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// plays says whether there is a role to play over a link: a solo node has none,
// nor has one that was parked.
func plays(crew *trust.Crew) bool { return crew != nil && crew.Role != trust.RoleDeposed }

// sameRole says whether two views are of one role in one crew under one lead.
func sameRole(a, b *trust.Crew) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ID == b.ID && a.Role == b.Role && a.SelfID == b.SelfID && leadOf(a) == leadOf(b)
}

// sameSelf says whether two views are of one member of one crew, whatever its
// role.
func sameSelf(a, b *trust.Crew) bool {
	return a != nil && b != nil && a.ID == b.ID && a.SelfID == b.SelfID
}

func leadOf(crew *trust.Crew) identity.Fingerprint {
	if crew.Lead == nil {
		return identity.Fingerprint{}
	}
	return crew.Lead.Fingerprint
}

func (r *roles) set(now *part, why trouble) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now, r.trouble = now, why
	close(r.moved)
	r.moved = make(chan struct{})
}

// current returns the part that is played, or nil, and why the link of the
// node's crew is not open.
func (r *roles) current() (*part, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now, r.trouble.err
}

// endpoint returns the endpoint that is open now, or nil.
func (r *roles) endpoint() *mesh.Endpoint {
	if now, _ := r.current(); now != nil {
		return now.endpoint
	}
	return nil
}

// settle waits until the node plays what the trust store says, nil for solo, or
// has failed to. A link of the role before is never returned.
func (r *roles) settle(ctx context.Context) (*part, error) {
	for {
		r.mu.Lock()
		now, why, moved := r.now, r.trouble, r.moved
		r.mu.Unlock()
		crew := r.daemon.store.Crew()
		switch {
		case now == nil && !plays(crew), now != nil && sameRole(now.crew, crew):
			return now, nil
		case now == nil && why.err != nil && sameRole(why.crew, crew):
			return nil, why.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-moved:
		}
	}
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
	if err != nil {
		return key, err
	}
	if copy(key[:], data) != len(key) {
		return key, fmt.Errorf("%s has %d bytes, want %d: move it away", path, len(data), len(key))
	}
	return key, nil
}
