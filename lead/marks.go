package lead

import (
	"strings"

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
	message.Trust, message.Mark = m.answerFor(message.ID, message.Trust, message.Mark)
}

// cleanTyped does the same for a turn of a chat that the member says was typed by
// itself: a person's, which is the line of a message, with its id at the end, or a
// schedule's text. No other words go under the mark of a phone.
func (m *remote) cleanTyped(turn *api.ChatTurn) {
	if turn.Who != "person" || turn.Mark == "" {
		turn.Trust, turn.Mark = "", ""
		return
	}
	line := strings.TrimSpace(turn.Text)
	id := line[strings.LastIndexByte(line, ' ')+1:]
	if sent, ok := m.phoned(id); ok && sent.Line != line {
		id = ""
	}
	turn.Trust, turn.Mark = m.answerFor(id, turn.Trust, turn.Mark)
}

// answerFor is the level and the mark of a message of this id, of which the
// member says others.
func (m *remote) answerFor(id, saidLevel, saidMark string) (shownLevel, shownMark string) {
	var level trust.Level
	if level.UnmarshalText([]byte(saidLevel)) != nil || level.MayInstruct() {
		level = trust.Participant
	}
	mark, err := trust.ParseMark(saidMark)
	if err != nil || mark.Door() == trust.PhoneDoor {
		mark = trust.WalkyMark(m.host, "")
	}
	if sent, ok := m.phoned(id); ok && sent.To.Machine == m.host {
		level, mark = sent.Trust, sent.Mark
	}
	return level.String(), mark.String()
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
	if err != nil || mark.Door() != trust.HookDoor {
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
