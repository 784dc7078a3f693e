package holder

import "time"

// watch sends pictures: the whole one, then what changed, each only after the
// one before was seen. What happens meanwhile is in the next.
func (s *server) watch(l *link) {
	changed, stop := s.hold.view.changed.Subscribe()
	defer stop()
	seenByNode, gone := make(chan struct{}), make(chan struct{})
	quit := make(chan struct{})
	s.workers.Go(func() {
		defer close(gone)
		for {
			if k, _, err := l.read(); err != nil || k != kindSeen {
				return
			}
			select {
			case seenByNode <- struct{}{}:
			case <-quit:
				return
			}
		}
	})
	defer func() { close(quit); l.conn.Close(); <-gone }()

	// wait returns when signal comes or, if it is not zero, time is up; false
	// when the node is gone.
	wait := func(signal <-chan struct{}, atMost time.Duration) bool {
		var up <-chan time.Time
		if atMost > 0 {
			timer := time.NewTimer(atMost)
			defer timer.Stop()
			up = timer.C
		}
		select {
		case <-signal:
		case <-up:
		case <-gone:
			return false
		}
		return true
	}

	frame, last := s.hold.view.whole()
	for {
		sent := time.Now()
		if l.writeJSON(kindFrame, frame) != nil || !wait(seenByNode, 0) {
			return
		}
		for fresh := false; !fresh; {
			// An echo that was promised is looked at once more, by itself.
			var recheck time.Duration
			if last.head.Echo && time.Since(sent) < echoSettle {
				recheck = echoSettle - time.Since(sent)
			}
			if !wait(changed, recheck) {
				return
			}
			if early := frameInterval - time.Since(sent); early > 0 && !wait(nil, early) {
				return
			}
			// A redraw that is under way is better shown once it is complete.
			for began := time.Now(); s.hold.view.redrawing() && time.Since(began) < redrawPatience; {
				if !wait(changed, redrawPatience) {
					return
				}
			}
			frame, last, fresh = s.hold.view.since(last)
		}
	}
}
