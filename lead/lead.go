// Package lead is what the one machine does that the phone talks to: it merges
// the herd of the whole crew, hands reads and writes on to the member that owns
// a pane, masks everything that a member sends a second time, and carries walky
// messages from one member to another.
//
// A member is believed in nothing but what its pin says. Which machine an object
// is on is stamped from the link; ids that break the grammar are dropped, texts
// are cleaned, masked and cut; it may report on no message but those that were
// sent to it. Each member has goroutines, budgets and bounds of its own, so that
// a slow or hostile one costs nobody but itself.
//
// A solo node leads nobody and uses the same herd. The front door and the
// pairing stand in packages of their own below this one.
package lead

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/crypto/identity"
	"collie/lead/meter"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
	"collie/node/launch"
)

// A Lead answers for the whole crew.
type Lead struct {
	node *node.Node
	herd *herd
	// What phones may start; see KeepLaunchers.
	added   *launch.Added
	devices Devices
	// What the machines are busy with; see FollowLoad.
	meter        *meter.Meter
	rulesProblem atomic.Pointer[string]

	now func() time.Time
	log *slog.Logger
}

// New returns the lead's side of a node. Until Run it is a solo node's.
func New(n *node.Node, now func() time.Time, log *slog.Logger) *Lead {
	l := &Lead{node: n, herd: newHerd(n.Local(), now), now: now, log: log, meter: meter.New()}
	l.herd.word = func(text string) string {
		var masked bool
		(&remote{mask: n.Mask}).name(&text, api.MaxNameBytes, &masked)
		return text
	}
	return l
}

// FollowLocal keeps this machine's own part of the herd current until ctx
// ends. What stops it, such as a full disk, is logged, and it goes on.
func (l *Lead) FollowLocal(ctx context.Context) error {
	for {
		err := l.herd.followLocal(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.log.Error("this machine's own panes could not be followed", "error", err)
		if !pause(ctx, retryFirst) {
			return ctx.Err()
		}
	}
}

// Machine returns the machine of a member id, or the whole herd for the empty
// one, whose panes are this machine's own. It refuses with api.ErrHostUnknown,
// and with api.ErrHostUnreachable, before anything is sent, while a member is
// not reachable.
func (l *Lead) Machine(host string) (api.Machine, error) {
	machine, err := l.herd.machine(host)
	if err != nil {
		return nil, err
	}
	return launching{machine, l, l.Here(host)}, nil
}

// A Crew is what a lead needs to lead one.
type Crew struct {
	Store    *trust.Store
	Endpoint *mesh.Endpoint
	Identity *identity.Identity
}

// Run leads the crew until ctx ends, or until this node leads no more. Each
// member is followed on its own; one that comes, goes or moves is noticed at
// once.
func (l *Lead) Run(ctx context.Context, crew Crew) error {
	changed, stop := crew.Store.Watch()
	defer stop()
	l.node.SetRoute(&router{lead: l, crew: crew})
	defer l.node.SetRoute(nil)
	defer l.herd.dissolve()
	var following errgroup.Group
	stops := map[string]context.CancelFunc{}
	var known map[string][]string // where members were found when they were dialled last
	defer func() {
		for _, stop := range stops {
			stop()
		}
		_ = following.Wait() // followers return nil
	}()
	following.Go(func() error {
		l.resumeRotation(ctx, crew)
		return nil
	})
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
		if next := addresses(now); !maps.EqualFunc(next, known, slices.Equal) {
			known = next
			crew.Endpoint.Wake()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// addresses are where each member is found.
func addresses(crew *trust.Crew) map[string][]string {
	all := map[string][]string{}
	for _, member := range crew.Members {
		all[member.ID] = crew.AddressesOf(member.ID)
	}
	return all
}

// key tells one enrolment of a member from another.
func key(m trust.Member) string { return m.ID + " " + m.Fingerprint.String() }

// pause waits for a moment, and reports false when ctx ended meanwhile.
func pause(ctx context.Context, moment time.Duration) bool {
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
