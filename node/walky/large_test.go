package walky

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/walky/journal"
)

// A journal of 10,000 lines, from a build or a load test with wider bounds, is
// opened whole, found again message by message, and cut to what this machine
// keeps, the oldest first; what waits in it is typed once.
func TestTenThousandLinesAreOpenedListedAndCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const messages = 5000 // two lines each
		m := newMachine(t, unlimited, agent("p1"), agent("p2"))
		m.terminal.setBusy("p2", true)
		held := m.send(in("p1"), m.address("p2"), "keep me")
		to := m.address("p1")
		m.stop()
		wide := DefaultLimits().Journal
		wide.Lines = 3 * messages
		writeMessages(t, filepath.Join(m.folder, "journal"), wide, to, messages)

		time.Sleep(11 * time.Minute) // nothing younger than ten is ever forgotten
		m = startMachine(t, m.folder, m.terminal, func(c *Config) { c.Limits.Journal.Lines = wide.Lines })
		if got := len(m.Log()); got != messages+1 {
			t.Fatalf("%d messages are listed, want %d", got, messages+1)
		}
		if inbox, err := m.Inbox(t.Context(), in("p1")); err != nil || len(inbox) != messages {
			t.Fatalf("%d messages in the inbox, %v; want %d", len(inbox), err, messages)
		}
		m = m.restart(unlimited)
		time.Sleep(DefaultLimits().Journal.Memory) // nobody knows how long it was away
		m.sweep()
		log := m.Log()
		if lines := m.journal.Lines(); lines > DefaultLimits().Journal.Lines || lines < DefaultLimits().Journal.Lines*9/10 {
			t.Errorf("%d lines are left, want as many as are kept", lines)
		}
		if last := log[len(log)-1].ID; last != messageID(messages-1) {
			t.Errorf("the newest is %s, want %s", last, messageID(messages-1))
		}
		if _, err := m.Wait(t.Context(), messageID(0)); !errors.Is(err, ErrNotFound) {
			t.Errorf("the oldest is still known: %v", err)
		}
		m.terminal.setBusy("p2", false)
		m.Nudge("p2")
		synctest.Wait()
		m.wantState(held.ID, Delivered)
		if got := m.terminal.typed("p2"); len(got) != 1 {
			t.Errorf("typed %q", got)
		}
		m.stop()
	})
}

func messageID(i int) string {
	return DoorID(postedAt.Add(time.Duration(i)*time.Millisecond), fmt.Sprint(i))
}

// writeMessages writes messages from p2 to an address that was delivered.
func writeMessages(t *testing.T, folder string, limits journal.Limits, to Address, count int) {
	t.Helper()
	j, err := journal.Open(folder, limits, steady(time.Now), slog.New(slog.DiscardHandler), func(journal.Line) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	var lines []journal.Line
	for i := range count {
		m := newMessage(messageID(i), content{direction: In, from: Address{Pane: "p2", Token: "k3f9"}, to: to}, time.Now(), Accepted, "")
		opening, err := m.line("", nil)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := m.changeLine(time.Now(), change{State: Delivered})
		if err != nil {
			t.Fatal(err)
		}
		if lines = append(lines, opening, typed); len(lines) == limits.SegmentLines {
			if err := j.Append(lines...); err != nil {
				t.Fatal(err)
			}
			lines = nil
			time.Sleep(time.Millisecond)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
