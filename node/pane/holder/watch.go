package holder

import (
	"collie/node/grid"
)

// A watcher is a connection that gets pictures.
type watcher struct {
	link   *link
	passed chan struct{} // the node is done with a picture
	gone   chan struct{} // closed when the node is
}

// watch sends pictures, each only after the one before was seen.
func (s *server) watch(l *link) {
	w := &watcher{link: l, passed: make(chan struct{}, 1), gone: make(chan struct{})}
	s.workers.Go(w.listen)
	_ = s.hold.view.Watch(w.gone, w.send)
	l.conn.Close()
	<-w.gone
}

func (w *watcher) send(frame grid.Frame) error {
	if err := w.link.writeJSON(kindFrame, frame); err != nil {
		return err
	}
	select {
	case <-w.passed:
		return nil
	case <-w.gone:
		return ErrLost
	}
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
