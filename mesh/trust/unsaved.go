package trust

import (
	"context"
	"fmt"
	"time"
)

// An UnsavedError says that the crew is not what its file says: a change that
// takes rights away counts, and a restart would undo it.
type UnsavedError struct {
	Path   string
	Reason error
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("%s does not hold the last change yet: %v", e.Path, e.Reason)
}

func (e *UnsavedError) Unwrap() error { return e.Reason }

// Unsaved returns an *UnsavedError while the file does not hold what is
// visible, else nil. It waits for no disk.
func (s *Store) Unsaved() error {
	if unsaved := s.unsaved.Load(); unsaved != nil {
		return unsaved
	}
	return nil
}

// Flush writes what an earlier change could not. It is done at once when there
// is nothing.
func (s *Store) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsaved.Load() == nil {
		return nil
	}
	if err := s.write(s.current.Load()); err != nil {
		return s.owe(err)
	}
	s.unsaved.Store(nil)
	return nil
}

// Keep flushes until ctx ends, again and again while the disk refuses, and
// sleeps while nothing is owed. Without one running, what is unsaved stays so
// until Flush or the next change.
func (s *Store) Keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.owed:
		}
		for wait := flushFirst; s.unsaved.Load() != nil; wait = min(2*wait, flushMost) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			_ = s.Flush() // Unsaved says it
		}
	}
}

// owe notes that the file is not what is visible. s.mu is held.
func (s *Store) owe(reason error) error {
	unsaved := &UnsavedError{Path: s.path, Reason: reason}
	s.unsaved.Store(unsaved)
	select {
	case s.owed <- struct{}{}:
	default: // Keep knows
	}
	return unsaved
}
