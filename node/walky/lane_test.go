package walky

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestInstanceIsComparedBeforeEnter(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	to := m.address("p1")
	m.terminal.typing = func(string) error {
		m.terminal.run("p1", "claude 2", "claude")
		return nil
	}
	r := m.send(operator, to, "x")
	wantReceipt(t, r, Refused, ReasonGone)
	if got := m.terminal.typed("p1"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
	if m.address("p1") == to {
		t.Fatal("another program in the pane kept the token")
	}
}

func TestAgentThatEndsInAShellReceivesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.terminal.setBusy("p1", true)
	r := m.send(operator, m.address("p1"), "x")
	m.terminal.run("p1", "claude 1", "shell")
	m.terminal.setBusy("p1", false)
	m.Nudge("p1")
	m.until("the end of the message", func() bool { return m.receiptOf(r.ID).State != Held })
	wantReceipt(t, m.receiptOf(r.ID), Refused, ReasonGone)
	if got := m.terminal.typed("p1"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
}

func TestErrorOfTheTerminalIsUnknownOnlyOnceAByteMayBeOut(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.terminal.typing = func(string) error { return errors.New("pty broke") }
	wantReceipt(t, m.send(in("p1"), m.address("p2"), "x"), Unknown, "")
	before := newMachine(t, func(c *Config) { c.Terminal = brokenTerminal{c.Terminal} }, agent("p1"))
	wantReceipt(t, before.send(operator, before.address("p1"), "x"), Refused, ReasonFailed)
}

type brokenTerminal struct{ Terminal }

func (brokenTerminal) Type(_ context.Context, _, _ string, _ func() bool) error {
	return errors.New("holder is gone")
}

// A nudge that comes while the input is still found busy is not lost.
func TestNudgeDuringATryLeadsToAnotherTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, func(c *Config) { c.Limits.HeldRetry = 24 * time.Hour }, agent("p1"))
		nudged := &nudgedTerminal{testTerminal: m.terminal}
		m.Station.terminal = nudged
		nudged.busy = func() {
			m.terminal.setBusy("p1", false)
			m.Nudge("p1")
		}
		m.terminal.setBusy("p1", true)
		r := m.send(operator, m.address("p1"), "x")
		synctest.Wait()
		m.wantState(r.ID, Delivered)
		m.stop()
	})
}

// nudgedTerminal calls busy once, between finding the input busy and saying so.
type nudgedTerminal struct {
	*testTerminal
	busy func()
}

func (n *nudgedTerminal) Type(ctx context.Context, pane, line string, stillThere func() bool) error {
	err := n.testTerminal.Type(ctx, pane, line, stillThere)
	if errors.Is(err, ErrBusy) && n.busy != nil {
		n.busy()
		n.busy = nil
	}
	return err
}

func TestCloseEndsATryAndHoldsWhatWasNotTyped(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.Station.terminal = stuckTerminal{m.terminal}
	to := m.address("p1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := m.Send(ctx, operator, to, "x", "")
	if err != nil || r.State != Accepted {
		t.Fatalf("Send = %+v, %v", r, err)
	}
	m = m.restart(nil)
	m.delivers(r.ID)
	if got := m.terminal.typed("p1"); len(got) != 1 {
		t.Fatalf("typed %q", got)
	}
}

// stuckTerminal waits for its context before it types anything.
type stuckTerminal struct{ Terminal }

func (s stuckTerminal) Type(ctx context.Context, _, _ string, _ func() bool) error {
	<-ctx.Done()
	return ctx.Err()
}

func (m *machine) triesOf() int {
	m.terminal.mu.Lock()
	defer m.terminal.mu.Unlock()
	return m.terminal.tries
}

func TestInputThatIsNotReachedInTimeIsBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"))
		m.Station.terminal = stuckTerminal{m.terminal}
		r := m.send(operator, m.address("p1"), "x")
		wantReceipt(t, r, Held, "")
		m.stop()
	})
}
