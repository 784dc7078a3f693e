// Package status keeps what is believed of every pane: which harness runs in it,
// what it is doing and since when, why that is believed, and which question it
// asks. Sources are, best first, the harness's own hooks, its session log, and
// the screen; the screen alone says which question is to be answered.
//
// Nothing is polled. A pane is looked at when its screen changed, at most once
// in lookInterval, and its foreground processes with it: a program that starts
// or ends writes. An idle pane costs one connection that waits.
//
// Invariants:
//   - A belief belongs to one run of one program. When another program comes to
//     the foreground, everything that was reported of the one before is dropped.
//   - A report never answers anything; it says what somebody saw.
//   - What is asked for a write is looked up anew: Look.
package status

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"collie/mesh/notify"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
)

// Bounds.
const (
	// lookInterval is the least time between two looks at one pane.
	lookInterval = 150 * time.Millisecond
	// settle is how long the screen may still show what was before a report.
	settle = time.Second
	// standStill is how long a question has to be the same on the screen to count:
	// one that is still being drawn asks about half of it.
	standStill = 100 * time.Millisecond
	// retryInterval is the time between two tries to watch a pane that does not
	// answer.
	retryInterval = 2 * time.Second
	// maxWhyBytes bounds the reason in a report.
	maxWhyBytes = 200
)

// A Source is where a belief comes from.
type Source string

// The sources, best first.
const (
	Hook    Source = "hook"
	Log     Source = "log"
	Screen  Source = "screen"
	Process Source = "process"
)

// A Belief is what is held to be true of a pane.
type Belief struct {
	Adapter *harness.Adapter
	// Program names the run of the program in the foreground: another agent, or
	// the same one started anew, is another program. All shells are one.
	Program string
	Status  harness.Status
	Since   time.Time
	Source  Source
	Why     string
	// Prompt is the question on the screen; nil when there is none, or none that
	// is understood.
	Prompt *harness.Prompt
}

// Harness is the name of what runs: "shell" without an agent.
func (b Belief) Harness() string { return b.Adapter.Name }

// A Report is what a hook or a session log says of the program in a pane.
type Report struct {
	Source Source // Hook or Log
	Status harness.Status
	Why    string    // one clause of ours, never text of the program's
	At     time.Time // zero: now
}

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

	mu     sync.Mutex // guards what follows
	places map[pane.ID]*place
}

// A place is one pane on the board. The board's lock guards it.
type place struct {
	belief   Belief
	seen     harness.Reading // the screen, as it was read last
	seenAt   time.Time       // when its status became what it is
	stood    string          // the key of the question that stood still
	reported map[Source]Report
	cancel   context.CancelFunc
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
func (b *Board) Close() error {
	b.cancel()
	b.working.Wait()
	return nil
}

// Changes returns a channel that holds one signal when a belief changed, and the
// function that ends the subscription.
func (b *Board) Changes() (changed <-chan struct{}, stop func()) { return b.changes.Watch() }

// follow begins to look at panes that are new and ends it for those that are
// gone or whose program ended.
func (b *Board) follow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	there := map[pane.ID]bool{}
	for _, info := range b.panes.List() {
		if info.Exited != nil || b.ctx.Err() != nil {
			continue
		}
		there[info.ID] = true
		if b.places[info.ID] != nil {
			continue
		}
		ctx, cancel := context.WithCancel(b.ctx)
		b.places[info.ID] = &place{belief: b.first(info), cancel: cancel, reported: map[Source]Report{}}
		b.working.Go(func() { b.watch(ctx, info.ID) })
	}
	for id, p := range b.places {
		if !there[id] {
			p.cancel()
			delete(b.places, id)
		}
	}
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
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.places[info.ID]; p != nil {
		return p.belief
	}
	return b.first(info)
}

// Report takes what a hook or a log says of a pane's program. One of a pane that
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
	if p == nil || !a.Agent() || (r.Source != Hook && r.Source != Log) {
		b.mu.Unlock()
		return
	}
	another := p.belief.Program != program
	if another {
		clear(p.reported)
		p.belief.Adapter, p.belief.Program, p.seen = a, program, harness.Reading{}
	}
	p.reported[r.Source] = r
	changed := p.weigh(b.now()) || another
	b.mu.Unlock()
	if changed {
		b.changes.Signal()
	}
}

// watch looks at a pane each time its screen changed.
func (b *Board) watch(ctx context.Context, id pane.ID) {
	for ctx.Err() == nil {
		var screen grid.Screen
		err := b.panes.Watch(ctx, id, func(frame grid.Frame) error {
			if _, err := screen.Apply(frame); err != nil {
				return err
			}
			b.observe(ctx, id, screen.Rows(), screen.Head())
			return wait(ctx, lookInterval)
		})
		if ctx.Err() != nil || errors.Is(err, pane.ErrNotFound) {
			return
		}
		b.log.Debug("a pane cannot be watched at present", "pane", id, "error", err)
		_ = wait(ctx, retryInterval)
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// observe reads a screen that changed.
func (b *Board) observe(ctx context.Context, id pane.ID, rows []grid.Row, head grid.Frame) {
	info, err := b.panes.Get(id)
	if err != nil {
		return
	}
	a, program := b.running(info)
	reading := b.read(ctx, id, a, rows, head)
	b.mu.Lock()
	changed, fresh := false, ""
	if p := b.places[id]; p != nil && ctx.Err() == nil {
		changed, fresh = p.see(a, program, reading, b.now())
	}
	b.mu.Unlock()
	if changed {
		b.changes.Signal()
	}
	if fresh != "" {
		time.AfterFunc(standStill, func() { b.stand(id, fresh) })
	}
}

// stand lets a question count that is still what the screen asks.
func (b *Board) stand(id pane.ID, asked string) {
	b.mu.Lock()
	p := b.places[id]
	changed := p != nil && b.ctx.Err() == nil && p.stands(asked, b.now())
	b.mu.Unlock()
	if changed {
		b.changes.Signal()
	}
}

func (p *place) stands(asked string, now time.Time) (changed bool) {
	if key(p.seen.Prompt) != asked || p.stood == asked {
		return false
	}
	p.stood, p.belief.Prompt, p.seenAt = asked, p.seen.Prompt, now
	p.weigh(now)
	return true
}

// see takes a new reading and reports whether the belief changed, and a question
// that has yet to stand still.
func (p *place) see(a *harness.Adapter, program string, r harness.Reading, now time.Time) (changed bool, fresh string) {
	another := p.belief.Program != program
	if another {
		clear(p.reported)
		p.belief.Adapter, p.belief.Program = a, program
	}
	if another || p.seen.Status != r.Status {
		p.seenAt = now
	}
	asked := key(r.Prompt)
	if asked != key(p.seen.Prompt) || another {
		fresh = asked
		p.stood = ""
	}
	p.seen = r
	had := p.belief.Prompt != nil
	p.belief.Prompt = nil
	if asked != "" && p.stood == asked {
		p.belief.Prompt = r.Prompt
	}
	changed = p.weigh(now) || another || had != (p.belief.Prompt != nil)
	return changed, fresh
}

func key(p *harness.Prompt) string {
	if p == nil {
		return ""
	}
	return p.Key()
}

// weigh takes the best source's word. A report counts until the screen came to
// show something else, later than what a late picture would explain.
func (p *place) weigh(now time.Time) (changed bool) {
	status, source, why := p.seen.Status, Screen, p.seen.Why
	if status == "" || (p.seen.Prompt != nil && p.stood == "") {
		status, source, why = p.belief.Status, p.belief.Source, p.belief.Why
	}
	for _, s := range []Source{Hook, Log} {
		r, ok := p.reported[s]
		if status == harness.Blocked {
			break // a question on the screen needs a person, whatever was said before
		}
		if ok && (p.seen.Status == harness.Unknown || p.seen.Status == "" || !p.seenAt.After(r.At.Add(settle))) {
			status, source, why = r.Status, s, r.Why
			break
		}
	}
	if status != p.belief.Status {
		p.belief.Since, changed = now, true
	}
	changed = changed || p.belief.Source != source || p.belief.Why != why
	p.belief.Status, p.belief.Source, p.belief.Why = status, source, why
	return changed
}

// A Sight is one pane as it is at this moment.
type Sight struct {
	Adapter *harness.Adapter
	Program string
	Reading harness.Reading
	Frame   grid.Frame // whole
}

// Look looks at a pane now, for whoever is about to type into it.
func (b *Board) Look(ctx context.Context, id pane.ID) (Sight, error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return Sight{}, err
	}
	frame, err := b.panes.Screen(ctx, id)
	if err != nil {
		return Sight{}, err
	}
	var screen grid.Screen
	if _, err := screen.Apply(frame); err != nil {
		return Sight{}, err
	}
	a, program := b.running(info)
	return Sight{a, program, b.read(ctx, id, a, screen.Rows(), screen.Head()), frame}, nil
}

// Running returns the adapter and the run of the program in a pane's foreground,
// as they are at this moment.
func (b *Board) Running(id pane.ID) (*harness.Adapter, string, error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return nil, "", err
	}
	a, program := b.running(info)
	return a, program, nil
}

// Adapter returns the adapter of what ran in a pane when it was looked at last.
func (b *Board) Adapter(id pane.ID) *harness.Adapter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.places[id]; p != nil {
		return p.belief.Adapter
	}
	return b.harnesses.Named("")
}

func (b *Board) running(info pane.Info) (*harness.Adapter, string) {
	if info.Exited == nil {
		if a, p := b.foreground(info.PID); a != nil {
			return a, fmt.Sprintf("%s.%d.%d", a.Name, p.pid, p.start)
		}
	}
	a := b.harnesses.Named(info.Harness)
	if !a.Agent() {
		return a, harness.ShellName
	}
	return a, a.Name + "." + info.Instance
}

// read reads a screen, with as much scrollback as a question needs that began
// above it.
func (b *Board) read(ctx context.Context, id pane.ID, a *harness.Adapter, rows []grid.Row, head grid.Frame) harness.Reading {
	s := harness.Screen{Rows: rows, Cols: head.Cols, Cursor: head.Cursor, Title: head.Title}
	reading := a.Read(s)
	if reading.Prompt == nil || !reading.Prompt.Cut {
		return reading
	}
	above, err := b.panes.History(ctx, id, 0, 1)
	if err == nil && above.Total > 1 {
		from := max(above.Total-harness.SubjectRows, 0)
		above, err = b.panes.History(ctx, id, from, harness.SubjectRows)
	}
	if err != nil || len(above.Rows) == 0 {
		return reading
	}
	s.Cursor.Row += len(above.Rows)
	s.Rows = append(append(make([]grid.Row, 0, len(above.Rows)+len(rows)), above.Rows...), rows...)
	if longer := a.Read(s); longer.Prompt != nil && len(longer.Prompt.Options) == len(reading.Prompt.Options) {
		return longer
	}
	return reading
}
