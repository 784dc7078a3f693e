package pane

import (
	"sync"
	"time"

	"collie/node/caller"
)

// Openings are the panes that are being opened: the program of one may run before
// the pane is listed, and whoever looks for the pane of a process then has to wait.
// The zero value is ready.
type Openings struct {
	mu  sync.Mutex // guards all
	all map[*opening]struct{}
}

type opening struct {
	began uint64        // in clock ticks after the system's start
	over  chan struct{} // closed once the pane is listed, or there will be none
}

// Begin says that a pane is being opened, until over.
func (o *Openings) Begin() (over func()) {
	now := time.Now()
	one := &opening{began: caller.TicksAt(now, now), over: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[*opening]struct{}{}
	}
	o.all[one] = struct{}{}
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.all, one)
		close(one.over)
	})
}

// Over returns a channel that is closed when a pane is listed which a process
// that started then, in clock ticks, may be of, or when there will be no such pane;
// nil when none is being opened. Who opens one after that is not waited for.
func (o *Openings) Over(started uint64) (over <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var last *opening
	for one := range o.all {
		if one.began <= started && (last == nil || one.began > last.began) {
			last = one
		}
	}
	if last == nil {
		return nil
	}
	return last.over
}

// count is how many there are.
func (o *Openings) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.all)
}
