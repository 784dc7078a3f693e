package walky

import "slices"

// A Report is a receipt of a message that another machine sent, for the lead
// of this machine or, on the lead, for the member that sent it.
type Report struct {
	Receipt
	Sender string // member id of the machine that the message came from
}

// Receipts returns the last receipt of every message of another machine that
// changed lately, the oldest first, and then every change. A reader that falls
// behind finds the channel closed and calls Receipts again; so nothing is lost,
// though a state that did not last may be. stop ends it.
func (s *Station) Receipts() (recent []Report, changes <-chan Report, stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := s.now().Add(-s.limits.Journal.Memory)
	for _, m := range s.messages {
		if m.isRecorded() && m.from.Machine != "" && m.shown.At.After(since) {
			recent = append(recent, Report{m.shown, m.from.Machine})
		}
	}
	slices.SortFunc(recent, func(a, b Report) int { return a.At.Compare(b.At) })
	reader := make(chan Report, s.limits.Reports)
	if s.closed {
		close(reader)
		return recent, reader, func() {}
	}
	s.readers[reader] = struct{}{}
	return recent, reader, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.unsubscribe(reader)
	}
}

// unsubscribe ends a reader. mu is held.
func (s *Station) unsubscribe(reader chan Report) {
	if _, ok := s.readers[reader]; ok {
		delete(s.readers, reader)
		close(reader)
	}
}

// tell passes on what is new of a message. mu is held.
func (s *Station) tell(m *message) {
	if m.local() {
		s.notify(m.to.Pane)
		close(s.arrived)
		s.arrived = make(chan struct{})
	}
	if m.from.Machine == "" {
		if m.to.isPerson() {
			s.notify(m.from.Pane) // its pane shows the answer
		}
		return
	}
	for reader := range s.readers {
		select {
		case reader <- Report{m.shown, m.from.Machine}:
		default:
			s.unsubscribe(reader)
		}
	}
}

func (m *message) isRecorded() bool {
	select {
	case <-m.recorded:
		return m.err == nil
	default:
		return false
	}
}
