package walky

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"collie/crypto/statement"
	"collie/node/trust"
)

// Send sends body from a caller of this machine to a session, or as an answer to
// the person who wrote to the caller on a phone, and returns its
// receipt once it is more than accepted, or as it is when ctx ends; the message
// goes on without the caller. A refusal is a receipt, see Receipt.Err; an error
// means that there is no message.
func (s *Station) Send(ctx context.Context, from Sender, to Address, body, replyTo string) (Receipt, error) {
	switch {
	case !to.isReceiver(replyTo):
		return Receipt{}, fmt.Errorf("%w: %s", ErrAddress, addressFormat)
	case !utf8.ValidString(body):
		return Receipt{}, fmt.Errorf("%w: it is not UTF-8", ErrBody)
	case len(body) > s.limits.BodyBytes:
		return Receipt{}, fmt.Errorf("%w: %d bytes, the most is %d", ErrBody, len(body), s.limits.BodyBytes)
	case replyTo != "" && !isID(replyTo):
		return Receipt{}, fmt.Errorf("%w: %q", ErrID, clip(replyTo))
	case !from.door().valid() || from.Device != "" && from.Pane != "":
		return Receipt{}, ErrDevice
	}
	sessions, err := s.look(ctx)
	if err != nil {
		return Receipt{}, err
	}
	sender, label, err := senderAddress(sessions, from)
	if err != nil {
		return Receipt{}, err
	}
	route := s.way()
	if route != nil && to.Machine == route.SelfMember() {
		to.Machine = ""
	}
	now := s.now()
	id, err := s.drawID(now)
	if err != nil {
		return Receipt{}, err
	}
	c := content{
		door: from.door(), from: sender, label: label, to: to, sentAt: now.UnixMilli(), replyTo: replyTo,
		digest: sha256.Sum256([]byte(body)), length: len(body),
	}
	var r Receipt
	if to.Machine == "" {
		c.direction = In
		r, err = s.take(ctx, newMessage(id, c, now, Accepted, ""), Verified{body: body}, sessions)
	} else {
		c.direction = Out
		r, err = s.sendOut(ctx, newMessage(id, c, now, Accepted, ""), body, route)
	}
	if err == nil {
		s.audit(Event{Action: "walky.send", ID: id, Pane: sender.Pane, Host: to.Machine, Device: from.Device, Outcome: outcomeWords(r)})
	}
	return r, err
}

// senderAddress places the sender in its pane. Outside of panes it has none.
func senderAddress(sessions []Session, from Sender) (Address, string, error) {
	label := from.Label
	if from.Pane == "" {
		return Address{}, trust.Clean(label, statement.MaxLabel), nil
	}
	session, ok := find(sessions, from.Pane)
	if !ok {
		return Address{}, "", fmt.Errorf("%w: %q", ErrNoPane, clip(from.Pane))
	}
	if label == "" {
		label = session.Label
	}
	return Address{Pane: session.Pane, Token: session.Token}, trust.Clean(label, statement.MaxLabel), nil
}

// sendOut records a message to another machine and forwards it once.
func (s *Station) sendOut(ctx context.Context, m *message, body string, route Route) (Receipt, error) {
	if route == nil {
		return refusal(m, ReasonNoCrew, 0), nil
	}
	if wait := s.cap(m, false); wait > 0 {
		return refusal(m, ReasonBusy, wait), nil
	}
	if _, err := s.record(ctx, m, Verified{body: body}); err != nil {
		return Receipt{}, err
	}
	select {
	case <-s.begin(func() { s.settleAs(m, s.forward(m, body, route), true) }):
	case <-ctx.Done():
	}
	// A later receipt may have come in while the first was on its way, and be on
	// its way to the disk.
	return s.wait(ctx, m), nil
}

// forward calls the route, not bound to the life of who called Send.
func (s *Station) forward(m *message, body string, route Route) Receipt {
	ctx, cancel := context.WithTimeout(s.ctx, s.limits.ForwardFor)
	defer cancel()
	r, err := route.Forward(ctx, Outgoing{
		ID: m.id, From: m.from, Label: m.label, Device: m.door.device(), To: m.to, Body: body, ReplyTo: m.replyTo, SentAt: time.UnixMilli(m.sentAt).UTC(),
	})
	if err == nil && r.ID != m.id {
		err = fmt.Errorf("%w: it is of another message", ErrReceipt)
	}
	if err == nil {
		err = r.check()
	}
	if errors.Is(err, ErrNotSent) {
		s.log.Warn("walky message was not sent", "id", m.id, "to", m.to.Machine, "error", err)
		return refusal(m, ReasonUnreachable, 0)
	}
	if err != nil {
		s.log.Warn("outcome of a walky message is unknown", "id", m.id, "to", m.to.Machine, "error", err)
		return Receipt{ID: m.id, State: Unknown}
	}
	return r
}

// begin does work that Close waits for, beside its caller, and says when it has
// ended. The caps of a machine bound how much there is.
func (s *Station) begin(do func()) (ended <-chan struct{}) {
	done := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(done)
	} else {
		s.work.Go(func() { defer close(done); do() })
	}
	return done
}

// cap counts a message, or says how long to wait. machineCounted says that it
// was counted for its machine before.
func (s *Station) cap(m *message, machineCounted bool) time.Duration {
	if wait := s.overfull(m); wait > 0 {
		return wait
	}
	sender := m.from.String()
	if m.from.Pane == "" {
		sender += " " + m.label
	}
	if m.door.posted() {
		sender = m.door.String() + " " + m.to.String()
	}
	keys := []capped{{capKey{fromSession, sender}, s.limits.SendPerSession}}
	if !machineCounted && !m.door.posted() { // what a stranger may trigger takes no session's share
		keys = append(keys, s.machineCap(m.from.Machine))
	}
	if m.local() {
		keys = append(keys, capped{capKey{toSession, m.door.level().String() + " " + m.to.String()}, s.limits.ReceivePerSession})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caps.take(s.now(), keys...)
}

// overfull says how long to wait where the journal may forget nothing yet of an
// origin that has very much in it: it takes no more of that one.
func (s *Station) overfull(m *message) time.Duration {
	if s.journal.Full(m.origin()) {
		if s.sweep(); s.journal.Full(m.origin()) {
			return s.limits.Journal.Memory
		}
	}
	return 0
}

func (s *Station) machineCap(machine string) capped {
	return capped{capKey{fromMachine, machine}, s.limits.SendPerMachine}
}

// refusal is the receipt of a message that was refused before it was recorded.
func refusal(m *message, reason string, wait time.Duration) Receipt {
	return Receipt{ID: m.id, State: Refused, Reason: reason, Wait: wait, At: m.at}
}

func outcomeWords(r Receipt) string {
	if r.Reason == "" {
		return string(r.State)
	}
	return string(r.State) + ": " + r.Reason
}
