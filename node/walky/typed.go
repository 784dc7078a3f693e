package walky

import (
	"crypto/sha256"
	"strings"
	"time"

	"collie/node/trust"
)

// Typed is what a station typed into one pane: lines that say how to read a
// message, and the texts of schedules. The log of an agent has them as a person's
// words, and whoever reads them there is to see through which door they came.
type Typed struct {
	lines   map[[sha256.Size]byte][]typedAt
	heldFor time.Duration
}

type typedAt struct {
	at    time.Time // taken by this machine
	level trust.Level
	mark  trust.Mark
}

// Typed looks up what was typed into a pane.
func (s *Station) Typed(pane string) Typed {
	t := Typed{lines: map[[sha256.Size]byte][]typedAt{}, heldFor: s.limits.HeldFor}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if !m.local() || m.to.Pane != pane || !m.isRecorded() || m.turnedBack {
			continue
		}
		line := m.digest
		if !m.door.whole() {
			line = sha256.Sum256([]byte(announcement(m)))
		}
		t.lines[line] = append(t.lines[line], typedAt{m.at, m.door.level(), m.mark()})
	}
	return t
}

// Find returns the level and the mark of a text that stands in the log of the
// pane's program as said at a time, or at none: those of the message, when the
// station typed just that about then.
func (t Typed) Find(text string, at time.Time) (trust.Level, trust.Mark, bool) {
	for _, said := range []string{text, strings.TrimSpace(text)} {
		for _, typed := range t.lines[sha256.Sum256([]byte(said))] {
			after := at.Sub(typed.at)
			if at.IsZero() || after >= -aroundTyped && after <= t.heldFor+aroundTyped {
				return typed.level, typed.mark, true
			}
		}
	}
	return 0, trust.Mark{}, false
}
