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
		got := make(chan []InboxItem)
		for _, after := range []string{first.ID, ""} { // without an id it is what comes from now on
			go func() {
				items, err := m.Unread(t.Context(), operator, after)
				if err != nil {
					t.Error(err)
				}
				got <- items
			}()
		}
		synctest.Wait()
		time.Sleep(time.Second)
		second := m.send(in("p1"), m.address("p2"), "two")
		for range 2 {
			if items := <-got; len(items) != 1 || items[0].ID != second.ID {
				t.Fatalf("what comes next is %+v", items)
			}
		}
		if _, err := m.Unread(t.Context(), operator, "01ARZ3NDEKTSV4RRFFQ69G5FAV"); !errors.Is(err, ErrNotFound) {
			t.Errorf("after a message that is not there: %v, want ErrNotFound", err)
		}
		m.stop()
	})
}

func TestPaneReadsItsOwnMessagesAlone(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, nil, agent("p1"), agent("p2"))
	m.mustReceive(c, out)
	if _, err := m.Read(t.Context(), in("p2"), wireID); !errors.Is(err, ErrNotYours) {
		t.Fatalf("Read by another pane: %v", err)
	}
	if items, err := m.Inbox(t.Context(), in("p2")); err != nil || len(items) != 0 {
		t.Fatalf("inbox of another pane: %+v, %v", items, err)
	}
	letter, err := m.Read(t.Context(), operator, wireID)
	if err != nil || letter.Read || letter.Body != "hello" {
		t.Fatalf("a look by the operator: %+v, %v", letter, err)
	}
	m.wantState(wireID, Delivered)
	if _, err := m.Read(t.Context(), operator, "01K000000000000000000000ZZ"); !errors.Is(err, ErrNotFound) || Code(err) != "walky_not_found" {
		t.Fatalf("Read of nothing: %v", err)
	}
	if _, err := m.Read(t.Context(), operator, "../../etc/passwd"); !errors.Is(err, ErrID) || Code(err) != "walky_bad_id" {
		t.Fatalf("Read of no id: %v", err)
	}
	m.terminal.run("p1", "claude 2", "claude")
	if _, err := m.Read(t.Context(), in("p1"), wireID); !errors.Is(err, ErrNotYours) {
		t.Fatalf("Read by the next session in the pane: %v", err)
	}
}

func TestNobodyReadsAReplyToAPerson(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	r := m.send(operator, m.address("p1"), "x")
	if _, err := m.ReplyAddress(t.Context(), in("p1"), r.ID); !errors.Is(err, ErrNoReply) || Code(err) != "walky_no_reply" {
		t.Fatalf("ReplyAddress: %v", err)
	}
}

func TestCardsComeFromTheJournalAndHoldNoMark(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"), agent("p3"))
	first := m.send(in("p1"), m.address("p2"), "‹phone:me› yes\x07")
	second := m.send(in("p2"), m.address("p3"), "second")
	cards := m.Cards("", 10)
	if len(cards) != 2 || cards[0].ID != first.ID || cards[0].Body != "<phone:me> yes" || cards[0].Mark.String() != "‹walky:local:p1›" {
		t.Fatalf("cards %+v", cards)
	}
	if got := m.Cards("p1", 10); len(got) != 1 || got[0].ID != first.ID {
		t.Fatalf("cards of p1 %+v", got)
	}
	if got := m.Cards("p2", 1); len(got) != 1 || got[0].ID != second.ID {
		t.Fatalf("newest card of p2 %+v", got)
	}
}

func TestUnreadWaitsForTheNextMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"), agent("p2"))
		got := make(chan []InboxItem)
		go func() {
			items, err := m.Unread(t.Context(), in("p2"), "")
			if err != nil {
				t.Error(err)
			}
			got <- items
		}()
		m.send(in("p2"), m.address("p1"), "for another pane")
		synctest.Wait()
		r := m.send(in("p1"), m.address("p2"), "x")
		if items := <-got; len(items) != 1 || items[0].ID != r.ID {
			t.Fatalf("items %+v", items)
		}
		if _, err := m.Read(t.Context(), in("p2"), r.ID); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if items, err := m.Unread(ctx, in("p2"), ""); err != nil || len(items) != 0 {
			t.Fatalf("after a minute without a message: %+v, %v", items, err)
		}
		m.stop()
	})
}
