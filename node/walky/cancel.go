package walky

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Recall asks the machine that holds a message to take it back.
type Recall struct {
	ID string `json:"id"`
	// Sender is the member that the message is from. A lead says it to the
	// receiver; of a member it is what the link says, whatever stands here.
	Sender string `json:"sender,omitempty"`
}

// Cancel takes a message back while it is held, here or on another machine. The
// session that sent it may, and the operator.
func (s *Station) Cancel(ctx context.Context, from Sender, id string) (Receipt, error) {
	if !isID(id) {
		return Receipt{}, ErrID
	}
	me, err := s.self(ctx, from)
	if err != nil {
		return Receipt{}, err
	}
	s.mu.Lock()
	m := s.messages[id]
	s.mu.Unlock()
	switch {
	case m == nil || !m.isRecorded():
		return Receipt{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	case !from.Level.MayInstruct() && (me.Pane == "" || m.from != me):
		return Receipt{}, fmt.Errorf("%w: only its sender may cancel it", ErrNotYours)
	case m.from.Machine != "":
		if r := s.receipt(m); r.State != Held {
			return r, ErrNotHeld
		}
		return s.receipt(m), fmt.Errorf("%w: %s", ErrNotSender, m.from.Machine)
	}
	r, err := s.recall(ctx, m, func(ctx context.Context) (Receipt, error) {
		route := s.way()
		if route == nil {
			return Receipt{}, ErrNotSent
		}
		return route.Recall(ctx, m.to.Machine, Recall{ID: id})
	})
	if err == nil {
		s.report("walky.cancel", m, change{State: Cancelled})
	}
	return r, err
}

// Recall takes back a message that the machine by sent: one that is held here,
// or that this machine, its lead, passed on; then onward asks the machine that
// it is for. by is what the link says of the caller, or the lead of the sender.
// The receipt is of what became of it, cancelled or not. Over its cap, which is that
// of sending, a machine gets a *RefusedError.
func (s *Station) Recall(ctx context.Context, by, id string, onward func(ctx context.Context, to string) (Receipt, error)) (Receipt, error) {
	s.mu.Lock()
	m := s.messages[id]
	s.mu.Unlock()
	if by == "" || m == nil || !m.isRecorded() || m.from.Machine != by {
		return Receipt{}, ErrNotFound // which of these it is tells a stranger nothing
	}
	if wait := s.capRecall(by); wait > 0 {
		return Receipt{}, &RefusedError{Reason: ReasonBusy, Wait: wait}
	}
	r, err := s.recall(ctx, m, func(ctx context.Context) (Receipt, error) { return onward(ctx, m.to.Machine) })
	if err == nil && m.local() {
		s.report("walky.cancel", m, change{State: Cancelled})
	}
	if errors.Is(err, ErrNotHeld) || errors.Is(err, ErrUnrecorded) {
		return r, nil
	}
	return r, err
}

// capRecall counts what a machine wants back, as many as it may send, and apart from
// that: who sends too much may still take it back.
func (s *Station) capRecall(by string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caps.take(s.now(), capped{capKey{recallsBy, by}, s.limits.SendPerMachine})
}

// recall settles a message as cancelled where it is held. Asked again, it
// answers as the first time: the answer may have been lost.
func (s *Station) recall(ctx context.Context, m *message, away func(context.Context) (Receipt, error)) (Receipt, error) {
	if m.local() {
		if s.settle(m, change{State: Cancelled}) || s.receipt(m).State == Cancelled && m.from.Machine != "" {
			return s.receipt(m), nil
		}
		if s.holds(m) {
			return s.receipt(m), ErrUnrecorded
		}
		return s.receipt(m), ErrNotHeld
	}
	s.mu.Lock()
	shown := m.shown
	m.recalled = true // from now on its receiver may say so
	s.mu.Unlock()
	if shown.State != Held && shown.State != Cancelled {
		return shown, ErrNotHeld
	}
	ctx, cancel := context.WithTimeout(ctx, s.limits.ForwardFor)
	defer cancel()
	r, err := away(ctx)
	if err == nil {
		err = r.check()
	}
	if err == nil && r.ID != m.id {
		err = fmt.Errorf("%w: it is about another message", ErrReceipt)
	}
	if err != nil {
		s.log.Warn("a held message could not be cancelled where it is", "id", m.id, "to", m.to.Machine, "error", err)
		return s.receipt(m), fmt.Errorf("%w: %s", ErrNotReached, m.to.Machine)
	}
	s.settleAs(m, r, true)
	switch r.State {
	case Cancelled:
		return r, nil
	case Held: // it could not record that, or is typing it just now
		return s.receipt(m), fmt.Errorf("%w: %s", ErrNotReached, m.to.Machine)
	}
	return s.receipt(m), ErrNotHeld
}

// holds says that a message waits, and that nobody types it just now.
func (s *Station) holds(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.decided == Held
}
