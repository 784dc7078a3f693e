package walky

import (
	"context"
	"errors"
	"slices"

	"collie/node/trust"
)

// A lane is the messages that wait to be typed into one pane: the operator's
// first, then in the order in which they came. One goroutine at a time types, so
// lines never mix.
type lane struct {
	queue   []*message
	running bool
	again   bool // somebody nudged during a try
}

// sort puts what was read back from the journal into its order.
func (l *lane) sort() { slices.SortFunc(l.queue, byRank) }

// add puts a message behind those of its rank and before those below it.
func (l *lane) add(m *message) {
	first := m.door.level().MayInstruct()
	at := slices.IndexFunc(l.queue, func(other *message) bool { return first && !other.door.level().MayInstruct() })
	if at < 0 {
		at = len(l.queue)
	}
	l.queue = slices.Insert(l.queue, at, m)
}

// held counts those of one level: what strangers may push must not fill the
// place of what peers send, nor peers that of the operator.
func (l *lane) held(level trust.Level) (n int) {
	for _, m := range l.queue {
		if m.decided == Held && m.door.level() == level {
			n++
		}
	}
	return n
}

// enqueue puts a message into its lane. mu is held, or nobody else knows the
// station yet.
func (s *Station) enqueue(m *message) {
	l := s.lanes[m.to.Pane]
	if l == nil {
		l = &lane{}
		s.lanes[m.to.Pane] = l
	}
	l.add(m)
}

// deliver types the line of a recorded message, or has it typed behind those
// that wait already.
func (s *Station) deliver(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(m)
	s.kick(m.to.Pane)
}

// Nudge says that the input of a pane may be free now.
func (s *Station) Nudge(pane string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kick(pane)
}

// kick sees to it that a lane is worked on. mu is held.
func (s *Station) kick(pane string) {
	l := s.lanes[pane]
	switch {
	case l == nil:
	case l.running:
		l.again = true
	case !s.closed:
		l.running = true
		s.work.Go(func() { s.run(pane, l) })
	}
}

// run types what waits until the lane is empty or its input is busy.
func (s *Station) run(pane string, l *lane) {
	for {
		m := s.head(pane, l)
		if m == nil {
			return
		}
		if s.try(m) {
			continue
		}
		s.hold(l)
		if s.rest(l) {
			return
		}
	}
}

// head returns the first message that is still to be typed. When there is none
// the lane ends.
func (s *Station) head(pane string, l *lane) *message {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(l.queue) > 0 {
		if m := l.queue[0]; m.decided == Accepted || m.decided == Held {
			return m
		}
		l.queue = l.queue[1:]
	}
	l.running = false
	delete(s.lanes, pane)
	return nil
}

// rest ends the work on a busy lane, unless somebody nudged meanwhile.
func (s *Station) rest(l *lane) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.again && !s.closed {
		l.again = false
		return false
	}
	l.running = false
	return true
}

// try types the line of one message. It returns false when the input is busy.
func (s *Station) try(m *message) bool {
	ctx, cancel := context.WithTimeout(s.ctx, s.limits.TypeFor)
	defer cancel()
	line, err := s.typedLine(m)
	if err != nil {
		s.log.Error("text of a schedule cannot be read", "id", m.id, "error", err)
		s.outcome(m, change{Refused, ReasonFailed})
		return true
	}
	asked, claimed, closing := false, true, false
	err = s.terminal.Type(ctx, m.to.Pane, line, func() bool {
		if !asked {
			claimed = s.claim(m)
		}
		there := claimed && s.there(ctx, m)
		// A look that ends with the station says nothing of the session.
		closing = claimed && !there && !asked && s.ctx.Err() != nil
		asked = true
		return there
	})
	switch {
	case closing && err != nil: // before the first byte
		return false
	case err == nil:
		s.outcome(m, change{State: Delivered})
	case !claimed: // cancelled, read or expired meanwhile, or the journal failed
		return !s.open(m)
	case errors.Is(err, ErrBusy), !asked && ctx.Err() != nil: // no turn came in time
		return false
	case errors.Is(err, ErrGone) && s.ctx.Err() == nil:
		s.outcome(m, change{Refused, ReasonGone})
	case !asked:
		s.log.Warn("walky message could not be typed", "id", m.id, "pane", m.to.Pane, "error", err)
		s.outcome(m, change{Refused, ReasonFailed})
	default:
		s.log.Warn("walky message may or may not have been typed", "id", m.id, "pane", m.to.Pane, "error", err)
		s.outcome(m, change{State: Unknown})
	}
	return true
}

// claim writes down that a held message is about to be typed, so that it is
// never typed again should the machine die now. A message that was only just
// accepted is in the journal as that already.
func (s *Station) claim(m *message) bool {
	s.mu.Lock()
	state := m.decided
	s.mu.Unlock()
	return state == Accepted || s.settleAs(m, Receipt{ID: m.id, State: Accepted}, false)
}

// there compares the instance.
func (s *Station) there(ctx context.Context, m *message) bool {
	sessions, err := s.observe(ctx)
	if err != nil {
		s.log.Warn("receiver of a walky message could not be looked up", "id", m.id, "error", err)
		return false
	}
	return receives(sessions, m.to) == ""
}

// open says whether a message is still to be typed.
func (s *Station) open(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.decided == Accepted || m.decided == Held
}

// outcome records what became of a try. What cannot be recorded is unknown, as
// it will be after a restart.
func (s *Station) outcome(m *message, c change) {
	if s.settle(m, c) {
		s.report("walky.receive", m, c)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.decided == Accepted || m.decided == Held {
		m.decided = Unknown
		s.show(m, Receipt{ID: m.id, State: Unknown, At: s.now()})
	}
}

// hold makes every message of a busy lane wait, and refuses those above the
// bound. One whose state cannot be recorded stays accepted, and in the lane.
func (s *Station) hold(l *lane) {
	s.mu.Lock()
	held := map[trust.Level]int{}
	var accepted []*message
	for _, m := range l.queue {
		switch m.decided {
		case Accepted:
			accepted = append(accepted, m)
		case Held:
			held[m.door.level()]++
		}
	}
	s.mu.Unlock()
	for _, m := range accepted {
		c := change{State: Held}
		if held[m.door.level()] >= s.limits.HeldPerSession {
			c = change{Refused, ReasonFull}
		}
		if s.settle(m, c) && c.State == Refused {
			s.report("walky.receive", m, c)
		}
		held[m.door.level()]++
	}
	if len(accepted) == 0 {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// typedLine is what is typed of a message: itself, when it is a schedule's, and
// else that it is there.
func (s *Station) typedLine(m *message) (string, error) {
	if !m.door.whole() {
		return announcement(m), nil
	}
	body, _, err := s.body(m)
	return body, err
}

// announcement is all that a pane gets to see of a message before the agent
// asks: fixed text, a member id, a pane id or the operator's name of a channel,
// and a ULID.
func announcement(m *message) string {
	from := m.from.place()
	if !m.door.isZero() {
		from = m.door.String()
	}
	return "[collie] message from " + from + ", read it with: collie walky inbox " + m.id
}

// report writes to the audit log.
func (s *Station) report(action string, m *message, c change) {
	outcome := string(c.State)
	if c.Reason != "" {
		outcome += ": " + c.Reason
	}
	e := Event{Action: action, ID: m.id, Pane: m.from.Pane, Host: m.to.Machine, Device: m.door.device(), Outcome: outcome}
	if action == "walky.receive" {
		e.Pane, e.Host = m.to.Pane, m.from.Machine
	}
	s.audit(e)
}
