package walky

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestHeldMessagesGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.terminal.setBusy("p2", true)
	var want []string
	for n := range 9 {
		r := m.send(in("p1"), m.address("p2"), fmt.Sprint(n))
		want = append(want, "[collie] message from p1, read it with: collie walky inbox "+r.ID)
	}
	m.stop()
	m.terminal.setBusy("p2", false)
	m = startMachine(t, m.folder, m.terminal, nil)
	for _, entry := range m.Log() {
		m.delivers(entry.ID)
	}
	if got := m.terminal.typed("p2"); !slices.Equal(got, want) {
		t.Fatalf("typed %q, want %q", got, want)
	}
}

// A held message that was being typed when the machine died is not typed again.
func TestCrashWhileTypingIsUnknownAndNeverTypedAgain(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprintf("held=%v", held), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, nil, agent("p1"))
			to := m.address("p1")
			folder := make(chan string, 1)
			m.terminal.typing = func(string) error {
				folder <- m.copyState()
				return nil
			}
			m.terminal.setBusy("p1", held)
			r := m.send(operator, to, "x")
			if held {
				wantReceipt(t, r, Held, "")
				m.terminal.setBusy("p1", false)
				m.Nudge("p1")
			}
			terminal := newTestTerminal(agent("p1"))
			after := startMachine(t, <-folder, terminal, nil)
			after.Nudge("p1")
			after.wantState(r.ID, Unknown)
			after.stop()
			if got := terminal.typed("p1"); len(got) != 0 {
				t.Fatalf("typed again: %q", got)
			}
		})
	}
}

// What was typed and cannot be recorded is unknown, now as after a restart; a
// held message whose typing cannot be recorded is not typed.
func TestNothingIsSaidThatCouldNotBeRecorded(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.terminal.setBusy("p2", true)
	held := m.send(operator, m.address("p2"), "x")
	to := m.address("p1")
	m.terminal.typing = func(string) error { return m.journal.Close() }
	wantReceipt(t, m.send(operator, to, "x"), Unknown, "")
	m.terminal.setBusy("p2", false)
	m.Nudge("p2")
	m.until("a third try", func() bool { return m.triesOf() >= 3 })
	wantReceipt(t, m.receiptOf(held.ID), Held, "")
	if got := m.terminal.typed("p2"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
}

// A flood makes the journal forget what is settled and older than ten minutes,
// never what is held.
func TestJournalForgetsWhatIsSettledAndCarriesWhatIsHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		small := func(c *Config) {
			unlimited(c)
			c.Limits.Journal.Lines, c.Limits.Journal.SegmentLines = 20, 5
		}
		m := newMachine(t, small, agent("p1"), agent("p2"))
		m.terminal.setBusy("p2", true)
		held := m.send(in("p1"), m.address("p2"), "keep me")
		first := m.send(in("p2"), m.address("p1"), "x")
		m.send(in("p2"), m.address("p1"), "x") // fills the first segment
		time.Sleep(11 * time.Minute)
		for range 20 {
			m.send(in("p2"), m.address("p1"), "x")
		}
		if _, err := m.Wait(t.Context(), first.ID); !errors.Is(err, ErrNotFound) {
			t.Fatalf("the first message is still known: %v", err)
		}
		m = m.restart(small)
		m.terminal.setBusy("p2", false)
		m.Nudge("p2")
		synctest.Wait()
		m.wantState(held.ID, Delivered)
		if letter, err := m.Read(t.Context(), in("p2"), held.ID); err != nil || letter.Body != "keep me" {
			t.Fatalf("letter %+v, %v", letter, err)
		}
		if got := len(m.terminal.typed("p2")); got != 1 {
			t.Fatalf("%d lines typed, want 1", got)
		}
		m.stop()
	})
}

// A crash while the journal carries a held message on may leave its opening
// line twice, the second without the state that belongs behind it.
func TestHeldMessageThatWasBeingCarriedOnIsStillHeld(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.terminal.setBusy("p1", true)
	r := m.send(operator, m.address("p1"), "x")
	wantReceipt(t, r, Held, "")
	opening, err := m.journal.Read(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.journal.Append(opening); err != nil {
		t.Fatal(err)
	}
	m = m.restart(nil)
	wantReceipt(t, m.receiptOf(r.ID), Held, "")
}
