package holder

import (
	"time"

	"collie/node/grid"
)

// A watcher is a connection that gets pictures.
type watcher struct {
	link    *link
	view    *view
	changed <-chan struct{}
	typed   <-chan struct{}
	passed  chan struct{} // the node is done with a picture
	gone    chan struct{} // closed when the node is
	last    seen
	sent    time.Time // when last was sent
}

// watch sends pictures: the whole one, then what changed, each only after the
// one before was seen. What happens meanwhile is in the next. Pictures are
// frameInterval apart, but the first one after an input comes at once: that is
// the echo that somebody waits for.
func (s *server) watch(l *link) {
	changed, stopChanged := s.hold.view.changed.Watch()
	defer stopChanged()
	typed, stopTyped := s.hold.view.typed.Watch()
	defer stopTyped()
	w := &watcher{
		link: l, view: s.hold.view, changed: changed, typed: typed,
		passed: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	s.workers.Go(w.listen)
	frame, now := w.view.whole()
	for more := true; more; {
		w.last, w.sent = now, time.Now()
		if l.writeJSON(kindFrame, frame) != nil || !w.wait(w.passed, 0) {
			break
		}
		frame, now, more = w.next()
	}
	l.conn.Close()
	<-w.gone
}

// listen reads what the node says, one word for each picture.
func (w *watcher) listen() {
	defer close(w.gone)
	for {
		if k, _, err := w.link.read(); err != nil || k != kindSeen {
			return
		}
		select {
		case w.passed <- struct{}{}:
		default: // a word too many
		}
	}
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
