package holder

import (
	"io"
	"sync"
)

// An input is the bounded queue between whoever types and the program, which
// reads when it likes.
type input struct {
	mu      sync.Mutex // guards what follows
	pending []byte
	queued  int // bytes in pending and those being written
	ended   bool
	wake    chan struct{} // holds one signal; closed by end
}

func newInput() *input { return &input{wake: make(chan struct{}, 1)} }

// add queues all of p, or nothing when more than limit bytes would wait.
func (q *input) add(p []byte, limit int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.ended:
		return ErrEnded
	case q.queued+len(p) > limit:
		return ErrFull
	}
	q.pending = append(q.pending, p...)
	q.queued += len(p)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

// end refuses what comes from now on and lets run return.
func (q *input) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		q.ended = true
		close(q.wake)
	}
}

// run writes what is queued to w, in order, until end is called or a write
// fails. wrote is called after each write.
func (q *input) run(w io.Writer, wrote func()) {
	for range q.wake {
		for batch := q.take(); len(batch) > 0; batch = q.take() {
			for len(batch) > 0 {
				n, err := w.Write(batch[:min(len(batch), writeChunkBytes)])
				q.done(n)
				if err != nil {
					q.end()
					return
				}
				batch = batch[n:]
				wrote()
			}
		}
	}
}

func (q *input) take() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.pending
	q.pending = nil
	return batch
}

func (q *input) done(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued -= n
}
