package walky

import (
	"context"
	"time"

	"collie/node/trust"
)

// A LogEntry is one message in the journal of this machine.
type LogEntry struct {
	ID        string
	Direction Direction
	From      Address
	FromLabel string // cleaned, and free of anything that looks like a mark
	To        Address
	At        time.Time // taken by this machine
	State     State
	Reason    string
	ReplyTo   string
	Trust     trust.Level
	Mark      trust.Mark
	Line      string // that is typed into the pane to say how to read it
}

// A Card is a log entry with its body, cleaned, and free of anything that looks
// like a mark. A phone draws one only for what is in this journal.
type Card struct {
	LogEntry
	Body string
}

// Log returns the messages in the journal, the oldest first.
func (s *Station) Log() []LogEntry {
	return s.entries(s.recorded(func(*message) bool { return true }))
}

// Find returns the message of an id, when the journal holds it.
func (s *Station) Find(id string) (LogEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[id]
	if m == nil || !m.isRecorded() {
		return LogEntry{}, false
	}
	return m.entry(), true
}

// Last returns the newest message that came through a door since a time, also one
// that was refused, as far as the journal holds one.
func (s *Station) Last(door Door, since time.Time) (LogEntry, bool) {
	all := s.entries(s.recorded(func(m *message) bool { return m.door == door && !m.at.Before(since) }))
	if len(all) == 0 {
		return LogEntry{}, false
	}
	return all[len(all)-1], true
}

// Cards returns the newest messages from or to a pane of this machine, or with
// an empty pane of all, at most the given number, the oldest first. One whose
// body cannot be read is left out and logged.
func (s *Station) Cards(pane string, most int) []Card {
	all := s.recorded(func(m *message) bool {
		return pane == "" || m.from.Machine == "" && m.from.Pane == pane || m.to.Machine == "" && m.to.Pane == pane
	})
	all = all[max(0, len(all)-most):]
	cards := make([]Card, 0, len(all))
	for i, entry := range s.entries(all) {
		body, _, err := s.body(all[i])
		if err != nil {
			s.log.Warn("body of a walky message cannot be read", "id", entry.ID, "error", err)
			continue
		}
		cards = append(cards, Card{entry, trust.NeutralizeMarks(trust.CleanText(body, s.limits.BodyBytes))})
	}
	return cards
}

// recorded returns those of the messages in the journal that are wanted, the oldest
// first.
func (s *Station) recorded(wanted func(*message) bool) []*message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.those(byTime, func(m *message) bool { return m.isRecorded() && wanted(m) })
}

func (s *Station) entries(all []*message) []LogEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries := make([]LogEntry, len(all))
	for i, m := range all {
		entries[i] = m.entry()
	}
	return entries
}

// entry is the message as the log shows it. mu is held.
func (m *message) entry() LogEntry {
	return LogEntry{
		ID: m.id, Direction: m.direction, From: m.from, FromLabel: m.shownLabel(), To: m.to, At: m.at,
		State: m.shown.State, Reason: m.shown.Reason, ReplyTo: m.replyTo, Trust: m.door.level(), Mark: m.mark(), Line: announcement(m),
	}
}

// Answers returns what sessions of this machine answered to people on phones
// since then, the oldest first.
func (s *Station) Answers(since time.Time) []LogEntry {
	return s.entries(s.recorded(func(m *message) bool {
		return m.to.isPerson() && m.from.Machine == "" && m.at.After(since)
	}))
}

// Who returns the sessions that this machine may write to, and the caller's own
// pane, marked. When the route cannot answer, the sessions of this machine come
// with its error.
func (s *Station) Who(ctx context.Context, caller Sender) ([]Peer, error) {
	peers, err := s.Peers(ctx, caller)
	if err != nil {
		return nil, err
	}
	route := s.way()
	if route == nil {
		return peers, nil
	}
	others, err := route.Who(ctx)
	return append(peers, others...), err
}

// Peers returns the sessions of this machine alone, as Who does; in a crew
// their addresses carry its member id.
func (s *Station) Peers(ctx context.Context, caller Sender) ([]Peer, error) {
	sessions, err := s.observe(ctx)
	if err != nil {
		return nil, err
	}
	route := s.way()
	machine := ""
	if route != nil {
		machine = route.SelfMember()
	}
	peers := []Peer{}
	for _, session := range sessions {
		you := caller.Pane != "" && session.Pane == caller.Pane
		if session.isAgent() || you {
			peers = append(peers, Peer{
				Address: Address{machine, session.Pane, session.Token},
				Label:   session.Label, Harness: session.Harness, Status: session.Status, You: you,
			})
		}
	}
	return peers, nil
}

// Ended tells the addresses of this machine whose session is no more, for good:
// no other one is ever given the same.
func (s *Station) Ended(ctx context.Context) (func(Address) bool, error) {
	sessions, err := s.observe(ctx)
	if err != nil {
		return nil, err
	}
	return func(to Address) bool {
		session, there := find(sessions, to.Pane)
		return !there || session.Token != to.Token
	}, nil
}
