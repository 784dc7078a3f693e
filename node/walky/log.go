package walky

import (
	"context"
	"slices"
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
	return s.entries(func(*message) bool { return true })
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

// Cards returns the newest messages from or to a pane of this machine, or with
// an empty pane of all, at most the given number, the oldest first. One whose
// body cannot be read is left out and logged.
func (s *Station) Cards(pane string, most int) []Card {
	entries := s.entries(func(m *message) bool {
		return pane == "" || m.from.Machine == "" && m.from.Pane == pane || m.to.Machine == "" && m.to.Pane == pane
	})
	entries = entries[max(0, len(entries)-most):]
	cards := make([]Card, 0, len(entries))
	for _, entry := range entries {
		line, err := s.journal.Read(entry.ID)
		var o opening
		if err == nil {
			_, o, err = readOpening(line)
		}
		if err != nil {
			s.log.Warn("body of a walky message cannot be read", "id", entry.ID, "error", err)
			continue
		}
		body := trust.NeutralizeMarks(trust.CleanText(o.Body, s.limits.BodyBytes))
		cards = append(cards, Card{entry, body})
	}
	return cards
}

func (s *Station) entries(wanted func(*message) bool) []LogEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries := make([]LogEntry, 0, len(s.messages))
	for _, m := range s.messages {
		if !m.isRecorded() || !wanted(m) {
			continue
		}
		entries = append(entries, m.entry())
	}
	slices.SortFunc(entries, func(a, b LogEntry) int { return byTime(a.At, b.At, a.ID, b.ID) })
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
	return s.entries(func(m *message) bool {
		return m.to.isPerson() && m.from.Machine == "" && m.at.After(since)
	})
}

// Who returns the sessions that this machine may write to, and the caller's own
// pane, marked. When the route cannot answer, the sessions of this machine come
// with its error.
func (s *Station) Who(ctx context.Context, caller Sender) ([]Peer, error) {
	peers, err := s.Peers(ctx, caller)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	route := s.route
	s.mu.Unlock()
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
	s.mu.Lock()
	route := s.route
	s.mu.Unlock()
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
