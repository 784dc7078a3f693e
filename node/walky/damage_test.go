package walky

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// flip damages one line of a stopped machine's journal: the one that holds text.
func (m *machine) flip(text string) {
	m.t.Helper()
	files, err := filepath.Glob(filepath.Join(m.folder, "journal", "*.jsonl"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			m.t.Fatal(err)
		}
		if at := bytes.LastIndex(data, []byte(text)); at >= 0 {
			data[at] ^= 1
			if err := os.WriteFile(path, data, 0o600); err != nil {
				m.t.Fatal(err)
			}
			return
		}
	}
	m.t.Fatalf("no journal line holds %q", text)
}

func TestWhatADamagedLineMayHaveSaidIsDoubted(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.terminal.setBusy("p2", true)
	held := m.send(in("p1"), m.address("p2"), "first")
	wantReceipt(t, held, Held, "")
	lost := m.send(in("p1"), m.address("p2"), "the second")
	m.stop()
	m.flip("the second")
	m.terminal.setBusy("p2", false)
	m = startMachine(t, m.folder, m.terminal, nil)
	m.wantState(held.ID, Unknown)
	if _, err := m.Wait(t.Context(), lost.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("the message of the damaged line: %v", err)
	}
	if damage := m.Damaged(); len(damage) != 1 || damage[0].Origin != "" {
		t.Errorf("damage is %+v", damage)
	}
	after := m.send(in("p1"), m.address("p2"), "third")
	wantReceipt(t, after, Delivered, "")
	if got := m.terminal.typed("p2"); len(got) != 1 {
		t.Errorf("typed %q", got)
	}
	if letter, err := m.Read(t.Context(), in("p2"), held.ID); err != nil || letter.Body != "first" {
		t.Errorf("what is still whole reads %+v, %v", letter, err)
	}
}

func TestAMessageThatADamagedJournalMayHaveHeldIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	// By the lead's clock, whatever the machine's own says.
	for _, ahead := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour} {
		wantNotTakenAgain(t, ahead)
	}
}

func wantNotTakenAgain(t *testing.T, ahead time.Duration) {
	t.Helper()
	c := newCrew(t)
	m, out := boreasMachine(t, c, nil)
	wantReceipt(t, m.mustReceive(c, out), Delivered, "")
	m.stop()
	m.flip(`"body":"hello"`)
	c.now = c.now.Add(time.Minute)
	m = startMachine(t, m.folder, m.terminal, func(config *Config) { config.Now = func() time.Time { return c.now.Add(ahead) } })
	_, err := m.Receive(t.Context(), c.deliver(t, out), c.receiver(t))
	var check *CheckError
	if !errors.As(err, &check) || check.Check != CheckReplay {
		t.Fatalf("the same delivery again: %v, want the check of replay", err)
	}
	if got := m.terminal.typed("p1"); len(got) != 1 {
		t.Fatalf("typed %q", got)
	}
	out.ID, out.SentAt = "01J00000000000000000000002", c.now
	wantReceipt(t, m.mustReceive(c, out), Delivered, "")
}
