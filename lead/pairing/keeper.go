package pairing

import (
	"context"
	"time"
)

// keep does what no request asks for, until ctx ends: it ends a device at the
// moment at which its time is over, stores what was revoked, notices a file that was changed by hand,
// and writes when devices were last seen. It looks at the wall clock at least
// once in flushEvery, because a timer stands still while the machine sleeps.
func (s *Store) keep(ctx context.Context) {
	defer close(s.stopped)
	flushed := s.Now()
	for {
		timer := time.NewTimer(s.look())
		select {
		case <-ctx.Done():
			timer.Stop()
			s.flush()
			return
		case <-s.changed:
			timer.Stop()
		case <-timer.C:
		}
		due := flushEvery
		if s.Unsaved() != nil {
			due = retryEvery
		}
		if s.Now().Sub(flushed) >= due {
			s.flush()
			flushed = s.Now()
		}
	}
}

// look reads the file if it changed, ends who is over, and returns how long
// nothing is to be done.
func (s *Store) look() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.refreshLocked() // said in the log
	wait := s.expireLocked()
	if s.unsaved != nil {
		wait = min(wait, retryEvery)
	}
	return wait
}

// flush writes when devices were last seen, and what was revoked.
func (s *Store) flush() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	dirty := (s.dirty || s.unsaved != nil) && s.refreshLocked() == nil
	s.dirty = s.dirty && !dirty
	s.mu.Unlock()
	if !dirty {
		return
	}
	records, err := s.records()
	if err == nil {
		err = s.write(records)
	}
	if err != nil {
		s.Log.Warn("when devices were last seen, or which were revoked, could not be written", "error", err)
		s.mu.Lock()
		s.dirty = true
		s.mu.Unlock()
	}
}
