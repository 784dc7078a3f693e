package walky

import (
	"context"
	"errors"
	"fmt"

	"collie/node/walky/journal"
)

// record writes the opening line of m. It returns nil once that is synced;
// with an earlier message under the same id it returns that one, recorded, and
// writes nothing. Of v it takes the body, and the proof where there is one.
func (s *Station) record(ctx context.Context, m *message, v Verified) (earlier *message, err error) {
	line, err := m.line(v.body, v.proof.orNil())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnrecorded, err)
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	earlier = s.messages[m.id]
	if earlier == nil {
		s.messages[m.id] = m
	}
	s.mu.Unlock()
	if earlier != nil {
		return earlier, await(ctx, earlier)
	}
	err = s.journal.Append(line)
	if err != nil {
		m.err = fmt.Errorf("%w: %w", ErrUnrecorded, err)
		s.mu.Lock()
		delete(s.messages, m.id)
		s.mu.Unlock()
		s.log.Error("walky message could not be recorded", "id", m.id, "error", err)
	}
	close(m.recorded)
	if err == nil {
		if s.journal.Lines() > s.limits.Journal.Lines { // what is old goes once an hour
			s.sweep()
		}
		s.mu.Lock()
		s.tell(m)
		s.mu.Unlock()
	}
	return nil, m.err
}

// await waits until a message that somebody else opens is recorded.
func await(ctx context.Context, m *message) error {
	select {
	case <-m.recorded:
		return m.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle moves a message to a state, first in the journal and then for all to
// see. It returns false when the state does not follow any more, or when it
// could not be recorded; then the message stays what it was.
func (s *Station) settle(m *message, c change) bool {
	return s.settleAs(m, Receipt{ID: m.id, State: c.State, Reason: c.Reason}, true)
}

func (s *Station) settleAs(m *message, r Receipt, show bool) bool {
	s.mu.Lock()
	before := m.decided
	if !before.may(r.State) {
		s.mu.Unlock()
		return false
	}
	m.decided = r.State
	s.mu.Unlock()
	r.At = s.now()
	line, err := m.changeLine(r.At, change{r.State, r.Reason})
	if err == nil {
		err = s.journal.Append(line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if m.decided == r.State {
			m.decided = before
		}
		s.log.Error("state of a walky message could not be recorded", "id", m.id, "state", string(r.State), "error", err)
		return false
	}
	if show {
		s.show(m, r)
	}
	return true
}

// show makes a state visible unless a later one is. mu is held.
func (s *Station) show(m *message, r Receipt) {
	if !m.shown.State.may(r.State) {
		return
	}
	m.shown = r
	close(m.changed)
	m.changed = make(chan struct{})
	s.tell(m)
}

// Wait returns the receipt of a message once it is more than accepted, or as it
// is when ctx ends.
func (s *Station) Wait(ctx context.Context, id string) (Receipt, error) {
	s.mu.Lock()
	m := s.messages[id]
	s.mu.Unlock()
	if m == nil {
		return Receipt{}, ErrNotFound
	}
	if err := await(ctx, m); err != nil {
		return Receipt{}, err
	}
	return s.wait(ctx, m), nil
}

// receipt returns what may be told of a message now.
func (s *Station) receipt(m *message) Receipt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.shown
}

func (s *Station) wait(ctx context.Context, m *message) Receipt {
	for {
		s.mu.Lock()
		r, changed := m.shown, m.changed
		s.mu.Unlock()
		if r.State != Accepted {
			return r
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return r
		case <-s.ctx.Done():
			return r
		}
	}
}

// sweep lets the journal forget what it must, and forgets it here too.
func (s *Station) sweep() {
	gone, err := s.journal.Sweep(s.now(), s.mustKeep)
	if err != nil && !errors.Is(err, journal.ErrClosed) {
		s.log.Error("journal of walky messages could not be cut", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range gone {
		delete(s.messages, id)
	}
}

// mustKeep returns the state of a message that is still waiting for something:
// only the messages of a machine that floods are carried on like this, and they
// are bounded by what may be held.
func (s *Station) mustKeep(id string) []journal.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[id]
	if m == nil || !m.local() || m.decided != Held && m.decided != Accepted {
		return nil
	}
	line, err := m.changeLine(m.shown.At, change{State: m.decided})
	if err != nil {
		return nil
	}
	return []journal.Line{line}
}
