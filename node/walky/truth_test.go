package walky

import (
	"errors"
	"strings"
	"testing"
)

// What walky log shows is never said to have no journal record.
func TestAMessageThatNobodyReadsHereIsSaidToBeInTheJournal(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, held := n.held(n.atlas)
	for _, c := range []struct {
		m      *machine
		reader Sender
		says   string
	}{
		{n.atlas, operator, "it was sent from here to boreas (held)"},
		{n.atlas, in("p1"), "it was sent from here to boreas (held)"},
		{n.lead, operator, "it went through here to boreas (held)"},
	} {
		_, err := c.m.Read(t.Context(), c.reader, held.ID)
		if !errors.Is(err, ErrNoInbox) || Code(err) != "walky_no_inbox" || !strings.HasSuffix(err.Error(), c.says) {
			t.Errorf("it says %v, want %q", err, c.says)
		}
	}
}

func TestAMachineThatMayNotCancelSaysWhoMayAndNotThatNothingIsHeld(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, held := n.held(n.atlas)
	for _, m := range []*machine{n.boreas, n.lead} {
		r, err := m.Cancel(t.Context(), operator, held.ID)
		if r.State != Held || !errors.Is(err, ErrNotSender) || Code(err) != "walky_not_sender" || !strings.HasSuffix(err.Error(), "atlas") {
			t.Errorf("it answers %+v, %v", r, err)
		}
	}
	if _, err := n.atlas.Cancel(t.Context(), operator, held.ID); err != nil {
		t.Errorf("its sender's machine: %v", err)
	}
}
