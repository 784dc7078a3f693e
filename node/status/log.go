package status

import (
	"context"
	"time"

	"collie/node/harness"
	"collie/node/pane"
)

// A ReadLog reads how the session log of the agent in a pane ends, and false when
// that says nothing of what the agent does.
type ReadLog func(ctx context.Context, info pane.Info) (Report, bool)

// logs are the panes whose agent's log is to be read: those whose screen changed.
// One goroutine reads them, one after another.
type logs struct {
	read ReadLog
	// due is when a pane's log is to be read, and whether its screen changed since
	// that was settled: then it is read once more, so that no log is read for the
	// last time before what its program wrote with the last picture. The board's
	// lock guards it.
	due  map[pane.ID]*logDue
	wake chan struct{} // holds one signal
}

type logDue struct {
	at    time.Time
	again bool
}

// ReadLogs begins to read the logs of agents. It is called once, and read only by
// one goroutine at a time.
func (b *Board) ReadLogs(read ReadLog) {
	l := &logs{read: read, due: map[pane.ID]*logDue{}, wake: make(chan struct{}, 1)}
	b.mu.Lock()
	b.logs = l
	for id := range b.places { // what they showed was seen already
		b.askLog(id)
	}
	b.mu.Unlock()
	b.working.Go(func() { b.keepReading(l) })
}

// askLog asks for a look into the log of a pane whose screen was seen. The
// board's lock is held.
func (b *Board) askLog(id pane.ID) {
	p := b.places[id]
	if b.logs == nil || p == nil || !p.belief.Adapter.Agent() {
		return
	}
	if due := b.logs.due[id]; due != nil {
		due.again = true
		return
	}
	b.logs.due[id] = &logDue{at: time.Now().Add(logInterval)}
	select {
	case b.logs.wake <- struct{}{}:
	default:
	}
}

// keepReading reads each log that is due, until the board is closed. Without one
// it waits for a screen to change.
func (b *Board) keepReading(l *logs) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-l.wake:
		case <-timer.C:
		}
		ids, next := b.dueLogs(time.Now())
		for _, id := range ids {
			b.readLog(id, l.read)
		}
		if next > 0 {
			timer.Reset(next)
		}
	}
}

// dueLogs takes the panes whose log is to be read now, and says how long it is to
// the next; 0 when there is none.
func (b *Board) dueLogs(now time.Time) (ids []pane.ID, next time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, due := range b.logs.due {
		if b.places[id] == nil {
			delete(b.logs.due, id)
			continue
		}
		if wait := due.at.Sub(now); wait > 0 {
			next = shorter(next, wait)
			continue
		}
		ids = append(ids, id)
		if due.again {
			due.at, due.again = now.Add(logInterval), false
			next = shorter(next, logInterval)
		} else {
			delete(b.logs.due, id)
		}
	}
	return ids, next
}

func shorter(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// readLog weighs what a log says. A log says nothing that needs a person, and one
// that says nothing any more takes back what it said.
func (b *Board) readLog(id pane.ID, read ReadLog) {
	info, err := b.panes.Get(id)
	if err != nil {
		return
	}
	_, program := b.running(info)
	ctx, cancel := context.WithTimeout(b.ctx, logWait)
	defer cancel()
	report, ok := read(ctx, info)
	b.mu.Lock()
	p, changed := b.places[id], false
	if p != nil && p.belief.Program == program && b.ctx.Err() == nil {
		changed = p.hear(report, ok, b.now())
	}
	b.mu.Unlock()
	if changed {
		b.changes.Signal()
	}
}

// hear takes a log's word, or that it has none.
func (p *place) hear(r Report, ok bool, now time.Time) (changed bool) {
	if ok && r.Status != harness.Blocked {
		r.Source, r.Why = Log, r.Why[:min(len(r.Why), maxWhyBytes)]
		p.reported[Log] = r
	} else {
		delete(p.reported, Log)
	}
	return p.weigh(now)
}
