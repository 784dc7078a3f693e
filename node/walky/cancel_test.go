package walky

import (
	"context"
	"errors"
	"testing"
	"time"

	"collie/node/trust"
)

// held sends a message from a pane of a machine to a pane of boreas that takes none.
func (n *threeMachines) held(from *machine) (to Address, r Receipt) {
	n.boreas.t.Helper()
	to = n.boreas.address("p1")
	to.Machine = "boreas"
	n.boreas.terminal.setBusy("p1", true)
	r = from.send(in("p1"), to, "x")
	wantReceipt(n.boreas.t, r, Held, "")
	return to, r
}

// holding is a route to a machine that holds every message, and answers a recall.
func holding(recall func(Recall) Receipt) *testRoute {
	return &testRoute{
		answer: func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: Held}, nil },
		recall: func(what Recall) (Receipt, error) { return recall(what), nil },
	}
}

func TestASenderTakesBackWhatIsHeldOnAnotherMachine(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(*threeMachines) *machine{
		"a member's": func(n *threeMachines) *machine { return n.atlas },
		"the lead's": func(n *threeMachines) *machine { return n.lead },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newThreeMachines(t)
			m := from(n)
			to, held := n.held(m)
			if _, err := m.Cancel(t.Context(), in("p2"), held.ID); err == nil {
				t.Fatal("another pane took it back")
			}
			r, err := m.Cancel(t.Context(), in("p1"), held.ID)
			if err != nil {
				t.Fatal(err)
			}
			wantReceipt(t, r, Cancelled, "")
			m.wantState(held.ID, Cancelled)
			n.boreas.wantState(held.ID, Cancelled)
			if m != n.lead {
				n.lead.wantState(held.ID, Cancelled)
			}
			n.boreas.terminal.setBusy("p1", false)
			n.boreas.Nudge("p1")
			wantReceipt(t, m.send(in("p1"), to, "y"), Delivered, "")
			if got := n.boreas.terminal.typed("p1"); len(got) != 1 {
				t.Fatalf("typed %q, want the second alone", got)
			}
		})
	}
}

func TestWhatWasTypedMeanwhileIsSaidAndNotTakenBack(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.SetRoute(holding(func(what Recall) Receipt { return Receipt{ID: what.ID, State: Delivered} }))
	held := m.send(in("p1"), boreas, "x")
	r, err := m.Cancel(t.Context(), in("p1"), held.ID)
	if !errors.Is(err, ErrNotHeld) {
		t.Fatalf("cancel: %v, want ErrNotHeld", err)
	}
	wantReceipt(t, r, Delivered, "")
	m.wantState(held.ID, Delivered)
}

func TestACancelThatReachesNobodyChangesNothing(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, held := n.held(n.atlas)
	n.cut = true
	if _, err := n.atlas.Cancel(t.Context(), in("p1"), held.ID); !errors.Is(err, ErrNotReached) || Code(err) != "walky_not_reached" {
		t.Fatalf("cancel: %v", err)
	}
	for _, m := range []*machine{n.atlas, n.lead, n.boreas} {
		m.wantState(held.ID, Held)
	}
	n.cut = false
	if _, err := n.atlas.Cancel(t.Context(), in("p1"), held.ID); err != nil {
		t.Fatalf("cancel again: %v", err)
	}
}

// The answer of the first may have been lost on its way.
func TestACancelThatIsAskedAgainIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, held := n.held(n.atlas)
	for range 2 {
		r, err := n.boreas.Recall(t.Context(), "atlas", held.ID, nobodyElse)
		if err != nil {
			t.Fatal(err)
		}
		wantReceipt(t, r, Cancelled, "")
	}
	r, err := n.atlas.Cancel(t.Context(), in("p1"), held.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, r, Cancelled, "")
}

func TestAMachineTakesBackNoMoreInAMinuteThanItMaySend(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, held := n.held(n.atlas)
	for range DefaultLimits().SendPerMachine {
		if _, err := n.boreas.Recall(t.Context(), "atlas", held.ID, nobodyElse); err != nil {
			t.Fatal(err)
		}
	}
	var over *RefusedError
	if _, err := n.boreas.Recall(t.Context(), "atlas", held.ID, nobodyElse); !errors.As(err, &over) || over.Reason != ReasonBusy || over.Wait <= 0 || over.Wait > time.Minute {
		t.Errorf("one more: %v", err)
	}
	if _, err := n.lead.Recall(t.Context(), "atlas", held.ID, func(context.Context, string) (Receipt, error) {
		return Receipt{ID: held.ID, State: Cancelled}, nil
	}); err != nil {
		t.Errorf("on another machine: %v", err)
	}
}

func TestOnlyTheMachineThatSentAMessageTakesItBack(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, held := n.held(n.atlas)
	own := n.boreas.send(operator, n.boreas.address("p1"), "x")
	for _, by := range []string{"", "boreas", "cirrus", leadID} {
		for _, m := range []*machine{n.lead, n.boreas} {
			if _, err := m.Recall(t.Context(), by, held.ID, nobodyElse); !errors.Is(err, ErrNotFound) {
				t.Errorf("recalled by %q: %v, want ErrNotFound", by, err)
			}
		}
		if _, err := n.boreas.Recall(t.Context(), by, own.ID, nobodyElse); !errors.Is(err, ErrNotFound) {
			t.Errorf("the machine's own message, by %q: %v, want ErrNotFound", by, err)
		}
	}
	n.boreas.wantState(held.ID, Held)
}

func nobodyElse(context.Context, string) (Receipt, error) { return Receipt{}, ErrNotSent }

// A receiver says that a message was cancelled only when that was asked.
func TestAnAnswerAboutAnotherMessageCancelsNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	for name, answer := range map[string]Receipt{
		"another message": {ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", State: Cancelled},
		"no state":        {State: "eaten"},
		"nothing":         {},
	} {
		m.SetRoute(holding(func(Recall) Receipt { return answer }))
		held := m.send(in("p1"), boreas, "x")
		if _, err := m.Cancel(t.Context(), in("p1"), held.ID); !errors.Is(err, ErrNotReached) {
			t.Errorf("%s: %v, want ErrNotReached", name, err)
		}
		wantReceipt(t, m.receiptOf(held.ID), Held, "")
	}
}

// Where the disk refuses to take it, a message is held still, and nobody says that
// it is not.
func TestACancelThatCannotBeRecordedIsNotCalledTooLate(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(c *Config) { c.Limits.Journal.SegmentLines = 1 }, agent("p1"))
	m.terminal.setBusy("p1", true)
	held := m.send(operator, m.address("p1"), "x")
	m.loseJournal() // each line is a file of its own
	if r, err := m.Cancel(t.Context(), operator, held.ID); !errors.Is(err, ErrUnrecorded) || r.State != Held {
		t.Errorf("on its machine: %+v, %v, want ErrUnrecorded", r, err)
	}
	m.wantState(held.ID, Held)
}

func TestACancelThatIsAnsweredWithHeldIsNotCalledTooLate(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.SetRoute(holding(func(what Recall) Receipt { return Receipt{ID: what.ID, State: Held} }))
	held := m.send(in("p1"), boreas, "x")
	if r, err := m.Cancel(t.Context(), in("p1"), held.ID); !errors.Is(err, ErrNotReached) || r.State != Held {
		t.Errorf("%+v, %v, want ErrNotReached", r, err)
	}
}

func TestCancelTakesBackAHeldMessageOnly(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"), agent("p3"))
	m.terminal.setBusy("p2", true)
	held := m.send(in("p1"), m.address("p2"), "x")
	if _, err := m.Cancel(t.Context(), in("p3"), held.ID); !errors.Is(err, ErrNotYours) || Code(err) != "walky_not_yours" {
		t.Fatalf("cancel by another pane: %v", err)
	}
	if _, err := m.Cancel(t.Context(), Sender{Level: trust.Participant}, held.ID); !errors.Is(err, ErrNotYours) {
		t.Fatalf("cancel by an unplaced process: %v", err)
	}
	r, err := m.Cancel(t.Context(), in("p1"), held.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, r, Cancelled, "")
	if _, err := m.Cancel(t.Context(), in("p1"), held.ID); !errors.Is(err, ErrNotHeld) || Code(err) != "walky_not_held" {
		t.Fatalf("second cancel: %v", err)
	}
	second := m.send(in("p1"), m.address("p2"), "x")
	if _, err := m.Cancel(t.Context(), operator, second.ID); err != nil {
		t.Fatalf("cancel by the operator: %v", err)
	}
	m.terminal.setBusy("p2", false)
	third := m.send(in("p1"), m.address("p2"), "x")
	wantReceipt(t, third, Delivered, "")
	if got := m.terminal.typed("p2"); len(got) != 1 {
		t.Fatalf("typed %q, want the third alone", got)
	}
	if _, err := m.Cancel(t.Context(), operator, "01ARZ3NDEKTSV4RRFFQ69G5FAV"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("cancel of nothing: %v", err)
	}
}
