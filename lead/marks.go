package lead

import (
	"collie/node/api"
	"collie/node/trust"
	"collie/node/walky"
)

// cleanMark gives a message of a member's journal the level and the mark that
// this machine can answer for. A member may say through which of its doors
// something came; it never says that something instructs, and that a phone sent
// it is in this machine's own journal, or it is a claim like any other. What has
// no mark was typed at the console, which a message is not.
func (m *remote) cleanMark(message *api.WalkyMessage) {
	var level trust.Level
	if level.UnmarshalText([]byte(message.Trust)) != nil || level.MayInstruct() {
		level = trust.Participant
	}
	mark, err := trust.ParseMark(message.Mark)
	if err != nil || mark.Door() == trust.PhoneMark("").Door() {
		mark = trust.WalkyMark(m.host, "")
	}
	if sent, ok := m.phoned(message.ID); ok && sent.To.Machine == m.host {
		level, mark = sent.Trust, sent.Mark
	}
	message.Trust, message.Mark = level.String(), mark.String()
}

// cleanHeld gives a question that a member says a hook holds its mark. The words
// of a hook carry no mark in them.
func cleanHeld(card *api.Card, harness string) {
	card.Trust, card.Mark = hookMark(card.Held, card.Mark, harness)
	if card.Held && card.Prompt != nil {
		card.Prompt.Question = trust.NeutralizeMarks(card.Prompt.Question)
		card.Prompt.Subject = trust.NeutralizeMarks(card.Prompt.Subject)
	}
}

// hookMark is the level and the mark of what a hook told, when one told: that of
// the hook that the member names, or else of the harness.
func hookMark(told bool, text, harness string) (level, shown string) {
	if !told {
		return "", ""
	}
	mark, err := trust.ParseMark(text)
	if err != nil || mark.Door() != trust.HookMark("").Door() {
		mark = trust.HookMark(harness)
	}
	return trust.Participant.String(), mark.String()
}

// phoned returns what this machine sent for a phone that is paired with it.
func (m *remote) phoned(id string) (walky.LogEntry, bool) {
	entry, ok := m.journal.Find(id)
	return entry, ok && entry.Direction == walky.Out && entry.Trust.MayInstruct()
}

// A journal is what this machine's station wrote down.
type journal interface {
	Find(id string) (walky.LogEntry, bool)
}
