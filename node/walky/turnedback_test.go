package walky

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/trust"
)

func shell(pane string) Session { return Session{Pane: pane, Harness: "shell", Program: "bash 1"} }

// wantRefusals checks that the log holds refused messages of these doors and reasons,
// and nothing else.
func (m *machine) wantRefusals(want ...[2]string) {
	m.t.Helper()
	log := m.Log()
	if len(log) != len(want) {
		m.t.Fatalf("the log holds %+v, want %q", log, want)
	}
	for i, entry := range log {
		if entry.State != Refused || entry.Mark.String() != want[i][0] || entry.Reason != want[i][1] {
			m.t.Errorf("the log has %s %q with %s, want refused %q", entry.State, entry.Reason, entry.Mark, want[i])
		}
	}
}

func TestWhatADoorCouldNotDeliverIsInTheLogAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, shell("p1"))
	wantReceipt(t, m.post(hook("1", "p1", "green")), Refused, ReasonNoSession)
	wantReceipt(t, m.post(Post{Door: Door{Schedule, "night"}, ID: DoorID(postedAt, "s"), To: Address{Pane: "p9"}, Body: "check"}), Refused, ReasonGone)
	wantReceipt(t, m.post(Post{Door: Door{Kind: Wake}, ID: DoorID(postedAt, "w"), To: Address{Pane: "p9", Token: "k3f9"}, Body: "look"}), Refused, ReasonGone)
	m = m.restart(func(c *Config) { c.Off = true })
	if damage := m.Damaged(); len(damage) != 0 {
		t.Fatalf("damaged: %+v", damage)
	}
	wantReceipt(t, m.post(hook("2", "p1", "green")), Refused, ReasonOff)
	wantReceipt(t, m.post(hook("3", "p9", "green")), Refused, ReasonOff)
	want := [][2]string{
		{"‹webhook:ci›", ReasonNoSession},
		{"‹schedule:night›", ReasonGone},
		{"‹wake›", ReasonGone},
		{"‹webhook:ci›", ReasonOff},
		{"‹webhook:ci›", ReasonOff},
	}
	m.wantRefusals(want...)
	m = m.restart(nil)
	m.wantRefusals(want...)
	last, ok := m.Last(Door{Schedule, "night"}, postedAt)
	if !ok || last.State != Refused || last.Reason != ReasonGone {
		t.Errorf("the last of the schedule is %+v, %v", last, ok)
	}
	if later, ok := m.Last(Door{Schedule, "night"}, last.At.Add(time.Nanosecond)); ok {
		t.Errorf("the last of a schedule that was booked after it is %+v", later)
	}
}

func TestADeliveryThatIsRefusedAgainIsOneLineOfTheLogUntilItIsTaken(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, shell("p1"))
	for range 3 {
		wantReceipt(t, m.post(hook("1", "p1", "green")), Refused, ReasonNoSession)
		m = m.restart(nil)
	}
	m.wantRefusals([2]string{"‹webhook:ci›", ReasonNoSession})
	m.terminal.run("p1", "claude 2", "claude")
	for range 2 {
		m.delivers(m.post(hook("1", "p1", "green")).ID)
	}
	if typed := m.terminal.typed("p1"); len(typed) != 1 {
		t.Errorf("typed %q", typed)
	}
	if last, ok := m.Last(Door{Webhook, "ci"}, postedAt); !ok || last.State != Delivered || len(m.Log()) != 2 {
		t.Errorf("the last is %+v, and the log holds %d", last, len(m.Log()))
	}
}

func TestADeliveryWhoseRefusalCannotBeRecordedIsAnErrorAndLeavesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, shell("p1"))
	m.stop()
	if r, err := m.Post(t.Context(), hook("1", "p1", "green")); !errors.Is(err, ErrClosed) {
		t.Errorf("%+v, %v", r, err)
	}
}

// What is refused has a share of its own: however much of it there is, the journal
// forgets nothing of what the same door brought in, nor of other doors.
func TestAFloodOfRefusedDeliveriesMakesTheJournalForgetItsOwnAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, func(c *Config) {
			unlimited(c)
			c.Limits.Journal.Lines, c.Limits.Journal.SegmentLines = 20, 5
		}, agent("p1"), shell("p2"))
		unread := m.post(hook("unread", "p1", "keep me"))
		order := m.post(Post{Door: Door{Schedule, "night"}, ID: DoorID(postedAt, "s"), To: Address{Pane: "p2"}, Body: "check"})
		first := m.post(hook("first", "p2", "x"))
		for i := range 60 {
			time.Sleep(11 * time.Minute)
			wantReceipt(t, m.post(hook(strconv.Itoa(i), "p2", "x")), Refused, ReasonNoSession)
		}
		if _, err := m.Wait(t.Context(), first.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("the first refusal is still known: %v", err)
		}
		if letter, err := m.Read(t.Context(), in("p1"), unread.ID); err != nil || letter.Body != "keep me" {
			t.Errorf("letter %+v, %v", letter, err)
		}
		wantReceipt(t, m.receiptOf(order.ID), Refused, ReasonNoSession)
		if lines := m.journal.Lines(); lines > 30 {
			t.Errorf("the journal holds %d lines", lines)
		}
		m.stop()
	})
}

func TestRefusedDeliveriesAreUnderTheCapsOfTheirDoor(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(c *Config) { c.Limits.SendPerSession = 2; c.Off = true }, agent("p1"))
	m.post(hook("1", "p1", "x"))
	m.post(hook("2", "p1", "x"))
	if r := m.post(hook("3", "p1", "x")); r.Reason != ReasonBusy || r.Wait <= 0 {
		t.Errorf("the third is %+v", r)
	}
	if log := m.Log(); len(log) != 2 {
		t.Errorf("the log holds %+v", log)
	}
}

// A person may say what a schedule would have said.
func TestATextThatARefusedScheduleHadIsNobodysMark(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, shell("p1"))
	m.post(Post{Door: Door{Schedule, "night"}, ID: DoorID(postedAt, "s"), To: Address{Pane: "p1"}, Body: "check the queue"})
	if _, mark, found := m.Typed("p1").Find("check the queue", time.Time{}); found {
		t.Errorf("it is shown with %s", mark)
	}
}

func TestWhoeverOpensADoorLearnsWhyNothingCouldBeSaid(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), shell("p2"))
	old := m.address("p1")
	other := Address{Pane: "p1", Token: "2222"}
	if other == old {
		other.Token = "3333"
	}
	for to, want := range map[Address]string{
		{Pane: "p1"}: "", old: "", {Pane: "p2"}: ReasonNoSession, {Pane: "p9"}: ReasonGone, other: ReasonGone,
	} {
		if reason, err := m.Admits(t.Context(), to); err != nil || reason != want {
			t.Errorf("%s: %q, %v; want %q", to, reason, err, want)
		}
	}
	m = m.restart(func(c *Config) { c.Off = true })
	if reason, err := m.Admits(t.Context(), old); err != nil || reason != ReasonOff {
		t.Errorf("off: %q, %v", reason, err)
	}
	if _, err := m.Send(t.Context(), Sender{Level: trust.Operator}, old, "x", ""); err != nil {
		t.Error(err)
	}
	if log := m.Log(); len(log) != 0 {
		t.Errorf("what no door brought is in the log: %+v", log)
	}
}
