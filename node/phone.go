package node

import (
	"context"

	"collie/node/api"
	"collie/node/chat"
	"collie/node/pane"
	"collie/node/phoned"
	"collie/node/trust"
)

// phoneNotes is where it is noted what a phone has typed into one pane.
type phoneNotes struct {
	book   *phoned.Book
	place  string
	device string
}

// phone returns where the texts of a request are noted; nil when it is no phone's.
func (l *Local) phone(ctx context.Context, id string) *phoneNotes {
	device := api.Device(ctx)
	info, err := l.node.Panes.Get(pane.ID(id))
	if device == "" || err != nil {
		return nil
	}
	return &phoneNotes{l.node.Phoned, placeOf(info), device}
}

// placeOf names a pane and the run of its first program: an id may be given out
// again.
func placeOf(info pane.Info) string { return string(info.ID) + "\x00" + info.Instance }

// note notes what an agent is about to be told, which is all that the input holds
// once a text is typed. Where that is not known, because somebody else typed there
// too, there is nothing to note.
func (t *typing) note(text string) {
	w := t.writer
	held := w.held
	if t.free {
		held = new("")
	}
	if w.held = nil; held == nil || t.phone == nil {
		return
	}
	whole := *held + text
	w.held = &whole
	switch p := t.phone; {
	case !t.sight.Adapter.Agent() || t.hidden:
	case text == "":
		p.book.Renew(p.place, p.device, whole)
	default:
		p.book.Note(p.place, p.device, whole)
	}
}

// markPhones gives the turns of a page, the newest first, the marks of the phones
// that they came from.
func (n *Node) markPhones(info pane.Info, session string, page []chat.Turn, shown []api.ChatTurn) {
	var turns []phoned.Turn
	var of []int
	for i := len(page) - 1; i >= 0; i-- {
		if turn := page[i]; turn.Who == chat.Person {
			turns, of = append(turns, phoned.Turn{Session: session, ID: turn.ID, Text: turn.Text, At: turn.At}), append(of, i)
		}
	}
	for i, device := range n.Phoned.Devices(placeOf(info), turns) {
		if device != "" {
			turn := &shown[of[i]]
			turn.Trust, turn.Mark = trust.Operator.String(), trust.PhoneMark(device).String()
		}
	}
}
