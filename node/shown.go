package node

import (
	"sync"
	"time"

	"collie/node/grid"
	"collie/node/mirror"
)

// frontSettles is how long after a picture it is looked once more for whom it is:
// until then it is known which program it is that has begun. While somebody watches,
// it is looked again every frontEvery: nobody tells of a program that comes to the
// front without a word.
const (
	frontSettles = 400 * time.Millisecond
	frontEvery   = 2 * time.Second
)

// A shown is what a phone is shown of a pane while it watches.
type shown struct {
	send   func(grid.Frame) error
	cancel func() // ends the watching
	rest   *time.Timer

	mu     sync.Mutex // guards what follows; held while a frame is sent
	screen *mirror.Mirror
	closed bool
	failed error // why a frame could not be sent that came by itself
}

func newShown(screen *mirror.Mirror, send func(grid.Frame) error, cancel func()) *shown {
	s := &shown{send: send, cancel: cancel, screen: screen}
	s.rest = time.AfterFunc(time.Hour, s.again)
	s.rest.Stop()
	return s
}

// close ends what comes by itself, waits for it and says why it failed.
func (s *shown) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.rest.Stop()
	return s.failed
}

// show sends a picture of the pane.
func (s *shown) show(frame grid.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	frame, err := s.screen.Apply(frame)
	if err != nil {
		return err
	}
	s.rest.Reset(frontSettles)
	return s.send(frame)
}

// again sends the last picture without a row if it is for another program now.
func (s *shown) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.failed != nil {
		return
	}
	if frame, changed := s.screen.Again(); changed {
		if s.failed = s.send(frame); s.failed != nil {
			s.cancel()
			return
		}
	}
	s.rest.Reset(frontEvery)
}
