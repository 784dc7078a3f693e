package walky

import (
	"context"
	"errors"
	"testing"

	"collie/node/trust"
)

// A process that has left its pane has none, like the operator; what is written
// to others is not for it.
func TestAParticipantOutsideOfPanesReadsNobodysMessages(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	r := m.send(in("p1"), m.address("p2"), "for p2 alone")
	for name, outside := range map[string]Sender{"a participant": {Level: trust.Participant}, "nobody that is known": {}} {
		if items, err := m.Inbox(t.Context(), outside); err != nil || len(items) != 0 {
			t.Errorf("%s lists %+v, %v", name, items, err)
		}
		if l, err := m.Read(t.Context(), outside, r.ID); !errors.Is(err, ErrNotYours) || l.Body != "" {
			t.Errorf("%s reads %+v, %v", name, l, err)
		}
		if to, err := m.ReplyAddress(t.Context(), outside, r.ID); !errors.Is(err, ErrNotYours) || to != (Address{}) {
			t.Errorf("%s learns of %v, %v", name, to, err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if items, err := m.Unread(over, outside); err != nil || len(items) != 0 {
			t.Errorf("%s waits and gets %+v, %v", name, items, err)
		}
	}
	if l, err := m.Read(t.Context(), operator, r.ID); err != nil || l.Body != "for p2 alone" || l.InboxItem.Read {
		t.Errorf("the operator reads %+v, %v", l, err)
	}
}
