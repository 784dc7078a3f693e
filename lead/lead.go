// Package lead is what the one machine does that the phone talks to: it merges
// the herd of the whole crew, hands reads and writes on to the member that owns
// a pane, masks everything that a member sends a second time, and carries walky
// messages from one member to another.
//
// A solo node leads nobody and uses the same herd. The front door and the
// pairing stand in packages of their own below this one.
package lead

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
)

// quiet is how long a member's stream may say nothing before it counts as
// gone: two of its beats and a little.
const quiet = 12 * time.Second

// A Lead answers for the whole crew.
type Lead struct {
	node *node.Node
	herd *herd
	now  func() time.Time
	log  *slog.Logger
}

// New returns the lead's side of a node. Until Run it is a solo node's.
func New(n *node.Node, now func() time.Time, log *slog.Logger) *Lead {
	return &Lead{node: n, herd: newHerd(n.Local(), now), now: now, log: log}
}

// FollowLocal keeps this machine's own part of the herd current until ctx
// ends.
func (l *Lead) FollowLocal(ctx context.Context) error { return l.herd.followLocal(ctx) }

// Machine returns the machine of that name: the empty one is the whole herd,
// whose panes are this machine's own.
func (l *Lead) Machine(host string) (api.Machine, error) {
	return l.herd.machine(host)
}

// A Crew is what a lead needs to lead one.
type Crew struct {
	Store    *trust.Store
	Endpoint *mesh.Endpoint
	Identity *identity.Identity
}

// Run leads the crew until ctx ends. Each member is followed on its own; a
// member that comes or goes is noticed at once.
func (l *Lead) Run(ctx context.Context, crew Crew) error {
	changed, stop := crew.Store.Watch()
	defer stop()
	l.node.SetRoute(&router{lead: l, crew: crew})
	defer l.node.SetRoute(nil)
	defer l.herd.dissolve()
	var following errgroup.Group
	stops := map[string]context.CancelFunc{}
	defer func() {
		for _, stop := range stops {
			stop()
		}
		_ = following.Wait() // followers return nil
	}()
	for {
		now := crew.Store.Crew()
		if now == nil || now.Role != trust.RoleLead {
			return nil
		}
		wanted := map[string]trust.Member{}
		for _, member := range now.Members {
			wanted[key(member)] = member
		}
		for k, stop := range stops {
			if _, ok := wanted[k]; !ok {
				stop()
				delete(stops, k)
			}
		}
		l.herd.lead(now, l.node.Build)
		for k, member := range wanted {
			if _, ok := stops[k]; ok {
				continue
			}
			memberCtx, stop := context.WithCancel(ctx)
			stops[k] = stop
			following.Go(func() error {
				l.follow(memberCtx, crew, member)
				return nil
			})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// key tells one enrolment of a member from another.
func key(m trust.Member) string { return m.ID + " " + m.Fingerprint.String() }
