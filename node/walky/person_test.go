package walky

import (
	"errors"
	"testing"
	"time"

	"collie/node/trust"
)

func TestASessionAnswersThePersonWhoWroteToItOnAPhone(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	asked := n.lead.send(pixel, n.addressOn("boreas", n.boreas), "how far are you?")
	wantReceipt(t, asked, Delivered, "")
	to, err := n.boreas.ReplyAddress(t.Context(), in("p1"), asked.ID)
	if err != nil || to != (Address{Machine: leadID}) {
		t.Fatalf("the answer goes to %+v, %v", to, err)
	}
	r, err := n.boreas.Send(t.Context(), in("p1"), to, "half", asked.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, r, Delivered, "")
	if got := n.lead.terminal.typed("p1"); len(got) != 0 {
		t.Errorf("the lead typed %q", got)
	}
	for name, m := range map[Direction]*machine{In: n.lead, Out: n.boreas} {
		e, ok := m.restart(nil).Find(r.ID)
		if !ok || e.Direction != name || e.ReplyTo != asked.ID || e.State != Delivered || e.Trust != trust.Participant {
			t.Errorf("%s: the journal has %+v, %v", name, e, ok)
		}
	}
}

func TestAPersonIsAnsweredOnTheOwnMachineAndReads(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	asked := m.send(pixel, m.address("p1"), "how far are you?")
	r, err := m.Send(t.Context(), in("p1"), Address{}, "half", asked.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, r, Delivered, "")
	m = m.restart(nil)
	escaped := Sender{Level: trust.Participant} // outside of panes, and nobody that is known
	if items, err := m.Inbox(t.Context(), escaped); err != nil || len(items) != 0 {
		t.Errorf("a participant outside of panes lists %+v, %v", items, err)
	}
	if letter, err := m.Read(t.Context(), escaped, r.ID); !errors.Is(err, ErrNotYours) {
		t.Errorf("a participant outside of panes reads %+v, %v, want ErrNotYours", letter, err)
	}
	m.wantState(r.ID, Delivered)
	letter, err := m.Read(t.Context(), operator, r.ID)
	if err != nil || letter.Body != "half" || letter.Trust != trust.Participant {
		t.Fatalf("letter is %+v, %v", letter, err)
	}
	m.wantState(r.ID, Read)
	if got := m.Answers(time.Time{}); len(got) != 1 || got[0].ID != r.ID {
		t.Errorf("the answers are %+v", got)
	}
}

// Nobody writes to a person who did not write to them.
func TestAPersonIsWrittenToOnlyAsAnAnswerOfTheSessionTheyWroteTo(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	asked := n.lead.send(pixel, n.addressOn("boreas", n.boreas), "how far are you?")
	cli := n.lead.send(operator, n.addressOn("boreas", n.boreas), "x")
	peer := n.lead.send(in("p1"), n.addressOn("boreas", n.boreas), "x")
	person := Address{Machine: leadID}
	if _, err := n.boreas.Send(t.Context(), in("p1"), person, "x", ""); !errors.Is(err, ErrAddress) {
		t.Errorf("without a message that it answers: %v, want ErrAddress", err)
	}
	if _, err := n.boreas.ReplyAddress(t.Context(), in("p1"), cli.ID); !errors.Is(err, ErrNoReply) {
		t.Errorf("a message from no phone: %v, want ErrNoReply", err)
	}
	for name, c := range map[string]struct {
		m       *machine
		from    Sender
		replyTo string
	}{
		"another machine":       {n.atlas, in("p1"), asked.ID},
		"outside of panes":      {n.boreas, operator, asked.ID},
		"a message of no phone": {n.boreas, in("p1"), cli.ID},
		"a message of a peer":   {n.boreas, in("p1"), peer.ID},
		"no message":            {n.boreas, in("p1"), "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
	} {
		r, err := c.m.Send(t.Context(), c.from, person, "x", c.replyTo)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantReceipt(t, r, Refused, ReasonNoSession)
	}
	r, err := n.atlas.Send(t.Context(), in("p1"), Address{Machine: "boreas"}, "x", asked.ID) // where the phone is not
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, r, Refused, ReasonNoSession)
}
