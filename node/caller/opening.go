package caller

import (
	"context"
	"slices"
)

// A pane is listed once its holder has answered, and by then its program may have
// called already. So whoever is below a holder, or a server of panes, and on no
// listed pane waits for those that were being opened when that part of its chain
// began. Later ones are not waited for: nobody who opens one pane after the other
// can hold up a caller from elsewhere.

// began tells when what a chain has of a pane of its own began: a holder, or what a
// server of panes started.
func began(chain []Process, listed []Holder) (started uint64, found bool) {
	for i, p := range chain {
		switch {
		case p.holder():
			return p.StartTime, true
		case i > 0 && slices.ContainsFunc(listed, func(h Holder) bool { return h.ServerPID == p.PID }):
			return chain[i-1].StartTime, true
		}
	}
	return 0, false
}

// awaitOpening waits until a pane is listed, or will not be, that may be of what
// started then. Without one there is nothing more to wait for, nor once ctx ends.
func (r *Resolver) awaitOpening(ctx context.Context, started uint64) (again bool) {
	if r.Opening == nil {
		return false
	}
	over := r.Opening(started)
	if over == nil {
		return false
	}
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}
