package walky

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

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
		if items, err := m.Unread(over, outside, ""); err != nil || len(items) != 0 {
			t.Errorf("%s waits and gets %+v, %v", name, items, err)
		}
	}
	if l, err := m.Read(t.Context(), operator, r.ID); err != nil || l.Body != "for p2 alone" || l.InboxItem.Read {
		t.Errorf("the operator reads %+v, %v", l, err)
	}
}

// The operator reads without a session, so nothing is ever read by it: one goes
// on from one message to the next.
func TestTheOperatorWaitsForWhatComesAfterAMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"), agent("p2"))
		first := m.send(in("p1"), m.address("p2"), "one")
		if items, err := m.Unread(t.Context(), operator, ""); err != nil || len(items) != 1 || items[0].ID != first.ID {
			t.Fatalf("without one before it: %+v, %v", items, err)
		}
		got := make(chan []InboxItem)
		go func() {
			items, err := m.Unread(t.Context(), operator, first.ID)
			if err != nil {
				t.Error(err)
			}
			got <- items
		}()
		synctest.Wait()
		time.Sleep(time.Second)
		second := m.send(in("p1"), m.address("p2"), "two")
		if items := <-got; len(items) != 1 || items[0].ID != second.ID {
			t.Fatalf("after the first: %+v", items)
		}
		if _, err := m.Unread(t.Context(), operator, "01ARZ3NDEKTSV4RRFFQ69G5FAV"); !errors.Is(err, ErrNotFound) {
			t.Errorf("after a message that is not there: %v, want ErrNotFound", err)
		}
		m.stop()
	})
}
