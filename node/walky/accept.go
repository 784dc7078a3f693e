package walky

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Accept takes a verified message of another machine for a session of this one
// and returns its receipt once it is more than accepted, or as it is when ctx
// ends. A repetition answers the receipt of the first; another message under
// the same id is refused with a *CheckError of CheckReplay. One that cannot be
// recorded is refused as that.
func (s *Station) Accept(ctx context.Context, v Verified) (Receipt, error) {
	if err := s.remembered(v); err != nil {
		return s.Reject(v.message.From.Member, err), err
	}
	m := v.newMessage(In, s.now())
	r, err := s.accept(ctx, m, v)
	if errors.Is(err, ErrUnrecorded) {
		return s.refuse(m, ReasonUnrecorded)
	}
	return r, err
}

func (s *Station) accept(ctx context.Context, m *message, v Verified) (Receipt, error) {
	if earlier, err := s.earlier(ctx, m); earlier != nil || err != nil {
		return s.repeat(ctx, earlier, m, err)
	}
	if v.length() > s.limits.BodyBytes {
		return s.refuse(m, ReasonTooLarge)
	}
	sessions, err := s.look(ctx)
	if err != nil {
		return Receipt{}, err
	}
	return s.take(ctx, m, v, sessions)
}

// Receive verifies a delivery and accepts it. A check that fails leaves nothing
// but a line in the local log; the receipt and the *CheckError name the check.
func (s *Station) Receive(ctx context.Context, d Delivery, r Receiver) (Receipt, error) {
	v, err := Verify(d, r)
	if err != nil {
		return s.Reject(r.Lead, err), err
	}
	return s.Accept(ctx, v)
}

// Reject logs that a message from another machine failed a check and returns
// the receipt that says which. Its ID is empty when none could be believed.
func (s *Station) Reject(host string, err error) Receipt {
	r := Receipt{State: Refused, Reason: reasonCheck + CheckForm, At: s.now()}
	var check *CheckError
	if errors.As(err, &check) {
		r.ID, r.Reason = check.ID, reasonCheck+check.Check
	}
	s.log.Warn("walky message refused", "host", host, "id", r.ID, "error", err)
	s.audit(Event{Action: "walky.receive", ID: r.ID, Host: host, Outcome: outcomeWords(r)})
	return r
}

// Open is OpenEnvelope for a lead that is under load: before it looks at any
// signature it counts the message against the cap of the machine, and over it
// refuses with a *RefusedError. now is the lead's clock.
func (s *Station) Open(e Envelope, from Member, now time.Time) (Verified, error) {
	s.mu.Lock()
	wait := s.caps.take(s.now(), s.machineCap(from.ID))
	s.mu.Unlock()
	if wait > 0 {
		return Verified{}, &RefusedError{Reason: ReasonBusy, Wait: wait}
	}
	v, err := OpenEnvelope(e, from, now)
	v.counted = true
	return v, err
}

// Pass records on the lead a verified message from one member to another one.
// fresh says that it is to be delivered now; otherwise it is a repetition, or
// refused, and the receipt is the answer. What becomes of it comes in through
// Result.
func (s *Station) Pass(ctx context.Context, v Verified) (r Receipt, fresh bool, err error) {
	if err := s.remembered(v); err != nil {
		return s.Reject(v.message.From.Member, err), false, err
	}
	m := v.newMessage(Through, s.now())
	if earlier, err := s.earlier(ctx, m); earlier != nil || err != nil {
		r, err = s.repeat(ctx, earlier, m, err)
		return r, false, err
	}
	if v.length() > s.limits.BodyBytes {
		r, err = s.refuse(m, ReasonTooLarge)
		return r, false, err
	}
	if wait := s.cap(m, v.counted); wait > 0 {
		return refusal(m, ReasonBusy, wait), false, nil
	}
	earlier, err := s.record(ctx, m, v)
	if errors.Is(err, ErrUnrecorded) {
		r, err = s.refuse(m, ReasonUnrecorded)
		return r, false, err
	}
	if earlier != nil || err != nil {
		r, err = s.repeat(ctx, earlier, m, err)
		return r, false, err
	}
	s.report("walky.through", m, change{State: Accepted})
	return s.receipt(m), true, nil
}

// Result takes the receipt of a message that this machine sent, or passed on as
// lead, and still journals. by is the member that reports it, and may only
// report on what was sent to it; empty for the lead of this machine, which
// speaks for all.
func (s *Station) Result(by string, r Receipt) error {
	if err := r.check(); err != nil {
		return err
	}
	s.mu.Lock()
	m := s.messages[r.ID]
	known := m != nil && m.isRecorded() && !m.local() && (by == "" || by == m.to.Machine)
	recalled := known && m.recalled
	s.mu.Unlock()
	switch {
	case !known:
		return fmt.Errorf("%w: %s", ErrNotFound, r.ID)
	case r.State == Cancelled && !recalled:
		return fmt.Errorf("%w: only a sender cancels", ErrReceipt)
	}
	if s.settleAs(m, r, true) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.decided.may(r.State) {
		return ErrUnrecorded
	}
	return nil // told before, or overtaken
}

// take records a message for a session of this machine and has it typed, or
// refuses it.
func (s *Station) take(ctx context.Context, m *message, v Verified, sessions []Session) (Receipt, error) {
	if s.off && !m.door.posted() {
		return s.refuse(m, ReasonOff)
	}
	if wait := s.cap(m, v.counted); wait > 0 {
		return refusal(m, ReasonBusy, wait), nil
	}
	reason := s.receives(sessions, m)
	if reason == "" && s.heldFor(m) >= s.limits.HeldPerSession {
		reason = ReasonFull
	}
	if reason != "" && m.door.posted() {
		return s.turnBack(ctx, m, v, reason)
	}
	switch {
	case reason != "":
		m = newMessage(m.id, m.content, m.at, Refused, reason)
	case m.to.isPerson(): // nothing is typed: it is there once it is in the journal
		m = newMessage(m.id, m.content, m.at, Delivered, "")
	}
	earlier, err := s.record(ctx, m, v)
	if earlier != nil || err != nil {
		return s.repeat(ctx, earlier, m, err)
	}
	if reason != "" {
		s.report("walky.receive", m, change{Refused, reason})
		return s.receipt(m), nil
	}
	if m.to.isPerson() {
		s.report("walky.receive", m, change{State: Delivered})
		return s.receipt(m), nil
	}
	s.deliver(m)
	return s.wait(ctx, m), nil
}

// receives returns why a message cannot be received now, or "".
func (s *Station) receives(sessions []Session, m *message) (reason string) {
	switch {
	case s.off:
		return ReasonOff
	case !m.to.isPerson():
		return receives(sessions, m.to)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A person is written to by the session that they wrote to, and by no other.
	if asked := s.messages[m.replyTo]; asked == nil || !asked.isRecorded() || asked.door.Kind != Phone || asked.to != m.from {
		return ReasonNoSession
	}
	return ""
}

// heldFor counts what waits for the session of m and has the level of m.
func (s *Station) heldFor(m *message) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lanes[m.to.Pane]; l != nil {
		return l.held(m.door.level())
	}
	return 0
}

// refuse is for what is not recorded, because nothing of it is wanted.
func (s *Station) refuse(m *message, reason string) (Receipt, error) {
	s.report("walky.receive", m, change{Refused, reason})
	return refusal(m, reason, 0), nil
}

// remembered refuses a message that this machine may have had and forgotten.
func (s *Station) remembered(v Verified) error {
	if s.now().Add(-v.age).Before(s.since) {
		return &CheckError{CheckReplay, v.message.ID, errors.New("it is older than what this machine remembers, since its journal was damaged")}
	}
	return nil
}

// earlier returns the message that the journal holds under the id of m.
func (s *Station) earlier(ctx context.Context, m *message) (*message, error) {
	s.mu.Lock()
	earlier := s.messages[m.id]
	s.mu.Unlock()
	if earlier == nil {
		return nil, nil
	}
	return earlier, await(ctx, earlier)
}

// repeat answers a message whose id is known already.
func (s *Station) repeat(ctx context.Context, earlier, m *message, err error) (Receipt, error) {
	if err != nil {
		return Receipt{}, err
	}
	if earlier.content == m.content {
		return s.wait(ctx, earlier), nil
	}
	failure := &CheckError{Check: CheckReplay, ID: m.id, Err: errors.New("the id belongs to another message")}
	return s.Reject(m.from.Machine, failure), failure
}
