package node

import (
	"context"

	"collie/node/api"
	"collie/node/chat"
	"collie/node/pane"
	"collie/node/phoned"
	"collie/node/trust"
)

// phone returns what notes in the book what a phone has an agent told; nil for a
// request of no phone.
func (l *Local) phone(ctx context.Context, id string) func(whole string, asItStands bool) (withdraw func()) {
	device, book := api.Device(ctx), l.node.Phoned
	info, err := l.node.Panes.Get(pane.ID(id))
	if device == "" || err != nil {
		return nil
	}
	return func(whole string, asItStands bool) (withdraw func()) {
		if asItStands {
			book.Renew(placeOf(info), device, whole)
			return func() {} // it stands there also when the Enter is refused
		}
		return book.Note(placeOf(info), device, whole)
	}
}

// placeOf names a pane and the run of its first program: an id may be given out
// again.
func placeOf(info pane.Info) string { return string(info.ID) + "\x00" + info.Instance }

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
