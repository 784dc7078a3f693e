// Package status keeps what is believed of every pane: which harness runs in it,
// what it is doing and since when, why that is believed, and which question it
// asks. Sources are, best first, the harness's own hooks, its session log, and
// the screen; the screen alone says which question is to be answered.
//
// Nothing is polled. A pane is looked at when its screen changed, at most once
// in lookInterval, and its foreground processes with it: a program that starts
// or ends writes. A question counts once two looks in a row saw it: one that is
// still being drawn asks about half of it. A session log is read after the screen
// of its agent changed. An idle pane costs one connection that waits.
//
// Invariants:
//   - A belief belongs to one run of one program. When another program comes to
//     the foreground, everything that was reported of the one before is dropped.
//   - A report never answers anything; it says what somebody saw.
//   - What is asked for a write is looked up anew: Look.
package status

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"collie/mesh/notify"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
)

// Panes is what is looked at.
type Panes interface {
	List() []pane.Info
	Get(id pane.ID) (pane.Info, error)
	Changes() (changed <-chan struct{}, stop func())
	Watch(ctx context.Context, id pane.ID, send func(grid.Frame) error) error
	Screen(ctx context.Context, id pane.ID) (grid.Frame, error)
	History(ctx context.Context, id pane.ID, from, count int) (pane.History, error)
}

// A Board holds the beliefs.
type Board struct {
	panes     Panes
	harnesses *harness.Set
	now       func() time.Time
	log       *slog.Logger
	changes   notify.Hub

	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup

	mu     sync.Mutex // guards what follows; nothing is read from a disk or a pane under it
	places map[pane.ID]*place
	logs   *logs // nil when nobody reads them
}

// Open begins to look at the panes.
func Open(panes Panes, harnesses *harness.Set, now func() time.Time, log *slog.Logger) *Board {
	b := &Board{panes: panes, harnesses: harnesses, now: now, log: log, places: map[pane.ID]*place{}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	changed, stop := panes.Changes()
	b.follow()
	b.working.Go(func() {
		defer stop()
		for {
			select {
			case <-b.ctx.Done():
				return
			case <-changed:
				b.follow()
			}
		}
	})
	return b
}

// Close ends every look and waits for it.
func (b *Board) Close() {
	b.cancel()
	b.working.Wait()
}

// Changes returns a channel that holds one signal when a belief changed, and the
// function that ends the subscription.
func (b *Board) Changes() (changed <-chan struct{}, stop func()) { return b.changes.Watch() }

// follow begins to look at panes that are new and ends it for those that are
// gone or whose program ended. It is called by one goroutine at a time, which alone
// changes the places.
func (b *Board) follow() {
	there := map[pane.ID]string{}
	var fresh []pane.Info
	for _, info := range b.panes.List() {
		if info.Exited != nil || b.ctx.Err() != nil {
			continue
		}
		there[info.ID] = info.Instance
		if !b.follows(info) {
			fresh = append(fresh, info)
		}
	}
	b.mu.Lock()
	for id, p := range b.places {
		if there[id] != p.instance {
			p.cancel()
			delete(b.places, id)
		}
	}
	b.mu.Unlock()
	for _, info := range fresh {
		ctx, cancel := context.WithCancel(b.ctx)
		p := &place{instance: info.Instance, belief: b.first(info), cancel: cancel, reported: map[Source]Report{}}
		b.mu.Lock()
		b.places[info.ID] = p
		b.mu.Unlock()
		b.working.Go(func() { b.watch(ctx, info.ID) })
	}
}

func (b *Board) follows(info pane.Info) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[info.ID]
	return p != nil && p.instance == info.Instance
}

// first is what is known of a pane before anybody looked.
func (b *Board) first(info pane.Info) Belief {
	a, program := b.running(info)
	belief := Belief{Adapter: a, Program: program, Status: harness.Unknown, Since: info.Since, Source: Process, Why: "nobody has looked yet"}
	if !a.Agent() {
		belief.Status, belief.Why = harness.Shell, "no agent runs in it"
	}
	return belief
}

// Of returns what is believed of a pane. One whose program has ended is done.
func (b *Board) Of(info pane.Info) Belief {
	if info.Exited != nil {
		return Belief{
			Adapter: b.harnesses.Named(info.Harness), Program: "ended", Status: harness.Done, Since: info.Since,
			Source: Process, Why: "its program has ended",
		}
	}
	if belief, ok := b.held(info.ID); ok {
		return belief
	}
	return b.first(info)
}

func (b *Board) held(id pane.ID) (belief Belief, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.places[id]; p != nil {
		return p.belief, true
	}
	return Belief{}, false
}

// Report takes what a hook says of a pane's program. One of a pane that
// is not there, or in which no agent runs, is dropped.
func (b *Board) Report(id pane.ID, r Report) {
	if r.At.IsZero() {
		r.At = b.now()
	}
	r.Why = r.Why[:min(len(r.Why), maxWhyBytes)]
	info, err := b.panes.Get(id)
	if err != nil {
		return
	}
	a, program := b.running(info) // a program may speak before it draws
	b.mu.Lock()
	p := b.places[id]
	if p == nil || !a.Agent() || r.Source != Hook {
		b.mu.Unlock()
		return
	}
	another := p.becomes(a, program)
	p.reported[r.Source] = r
	changed := p.weigh(b.now()) || another
	b.mu.Unlock()
	if changed {
		b.changes.Signal()
	}
}
