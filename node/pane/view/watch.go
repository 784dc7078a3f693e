package view

import (
	"time"

	"collie/node/grid"
)

// A watcher is somebody who gets pictures.
type watcher struct {
	view    *View
	changed <-chan struct{}
	typed   <-chan struct{}
	gone    <-chan struct{}
	last    seen
	sent    time.Time // when last was sent
}

// Watch calls send with the whole picture, then with what changed, until send
// fails or gone is closed. What happens while send runs is in the next. Pictures
// are frameInterval apart, but the first one after an input comes at once: that
// is the echo that somebody waits for.
func (v *View) Watch(gone <-chan struct{}, send func(grid.Frame) error) error {
	changed, stopChanged := v.changed.Watch()
	defer stopChanged()
	typed, stopTyped := v.typed.Watch()
	defer stopTyped()
	w := &watcher{view: v, changed: changed, typed: typed, gone: gone}
	frame, now := v.whole()
	for more := true; more; {
		w.last, w.sent = now, time.Now()
		if err := send(frame); err != nil {
			return err
		}
		frame, now, more = w.next()
	}
	return nil
}

// next waits until there is a picture that the node should have, and returns
// false when the node is gone.
func (w *watcher) next() (frame grid.Frame, now seen, more bool) {
	began := time.Now()
	paced := false // the time between two pictures went by, or somebody typed
	for fresh := false; !fresh; {
		// A promised echo is looked at once more, by itself.
		var recheck time.Duration
		if age := time.Since(began); w.last.head.Echo && age < echoSettle {
			recheck = echoSettle - age
		}
		if !w.wait(w.changed, recheck) {
			return frame, now, false
		}
		if early := frameInterval - time.Since(w.sent); early > 0 && !paced {
			if !w.wait(w.typed, early) {
				return frame, now, false
			}
			paced = true
		}
		// A redraw that is under way is better shown once it is complete.
		for redraw := time.Now(); w.view.redrawing() && time.Since(redraw) < redrawPatience; {
			if !w.wait(w.changed, redrawPatience) {
				return frame, now, false
			}
		}
		frame, now, fresh = w.view.since(w.last)
	}
	return frame, now, true
}

// wait returns when signal comes or, if it is not zero, time is up; false when
// the node is gone.
func (w *watcher) wait(signal <-chan struct{}, atMost time.Duration) bool {
	var up <-chan time.Time
	if atMost > 0 {
		timer := time.NewTimer(atMost)
		defer timer.Stop()
		up = timer.C
	}
	select {
	case <-signal:
	case <-up:
	case <-w.gone:
		return false
	}
	return true
}
