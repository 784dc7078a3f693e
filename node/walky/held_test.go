package walky

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/trust"
)

func unlimited(c *Config) {
	c.Limits.SendPerSession, c.Limits.ReceivePerSession, c.Limits.SendPerMachine = 1e6, 1e6, 1e6
}

func TestHeldMessagesAreTypedInTheirOrderOnceTheInputIsFree(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.terminal.setBusy("p2", true)
	var want []string
	for range 3 {
		r := m.send(in("p1"), m.address("p2"), "x")
		wantReceipt(t, r, Held, "")
		want = append(want, "[collie] message from p1, read it with: collie walky inbox "+r.ID)
	}
	m.Nudge("p2")
	m.Nudge("p1")
	m.terminal.setBusy("p2", false)
	m.Nudge("p2")
	for _, entry := range m.Log() {
		for m.receiptOf(entry.ID).State != Delivered {
			time.Sleep(time.Millisecond)
		}
	}
	if got := m.terminal.typed("p2"); !slices.Equal(got, want) {
		t.Fatalf("typed %q, want %q", got, want)
	}
}

func (m *machine) receiptOf(id string) Receipt {
	m.t.Helper()
	r, err := m.Wait(m.t.Context(), id)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func TestHeldMessageIsTriedAgainWithoutANudge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"))
		m.terminal.setBusy("p1", true)
		r := m.send(operator, m.address("p1"), "x")
		wantReceipt(t, r, Held, "")
		m.terminal.setBusy("p1", false)
		time.Sleep(DefaultLimits().HeldRetry)
		synctest.Wait()
		m.wantState(r.ID, Delivered)
		m.stop()
	})
}

func TestHeldMessageExpiresAfterAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var audited []Event
		m := newMachine(t, func(c *Config) { c.Audit = func(e Event) { audited = append(audited, e) } }, agent("p1"))
		m.terminal.setBusy("p1", true)
		r := m.send(operator, m.address("p1"), "x")
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		m.wantState(r.ID, Held)
		time.Sleep(time.Second + DefaultLimits().HeldRetry)
		synctest.Wait()
		m.wantState(r.ID, Expired)
		if last := audited[len(audited)-1]; last.ID != r.ID || last.Action != "walky.receive" || last.Outcome != "expired" {
			t.Errorf("audited last: %+v", last)
		}
		m.terminal.setBusy("p1", false)
		m.Nudge("p1")
		synctest.Wait()
		if got := m.terminal.typed("p1"); len(got) != 0 {
			t.Fatalf("typed %q", got)
		}
		if _, err := m.Read(t.Context(), in("p1"), r.ID); !errors.Is(err, ErrNotFound) {
			t.Fatalf("Read of an expired message: %v", err)
		}
		m.stop()
	})
}

func TestAHeldMessageExpiresAnHourAfterTheClockWasSetBackADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"))
		m.terminal.setBusy("p1", true)
		r := m.send(operator, m.address("p1"), "x")
		m = m.restart(func(c *Config) { c.Now = func() time.Time { return time.Now().AddDate(0, 0, -1) } })
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		m.wantState(r.ID, Held)
		time.Sleep(time.Second + DefaultLimits().HeldRetry)
		synctest.Wait()
		m.wantState(r.ID, Expired)
		m.stop()
	})
}

func TestIdleStationWakesOnceAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var wakes atomic.Int64
		m := newMachine(t, func(c *Config) {
			c.Now = func() time.Time { wakes.Add(1); return time.Now() }
		}, agent("p1"))
		synctest.Wait()
		before := wakes.Load()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if got := wakes.Load() - before; got > 2*24 {
			t.Fatalf("the clock was asked %d times in an idle day", got)
		}
		m.stop()
	})
}

func TestNoMoreThanTwentyMessagesAreHeldForASession(t *testing.T) {
	t.Parallel()
	m := newMachine(t, unlimited, agent("p1"), agent("p2"))
	m.terminal.setBusy("p2", true)
	to := m.address("p2")
	for range 20 {
		wantReceipt(t, m.send(in("p1"), to, "x"), Held, "")
	}
	r := m.send(in("p1"), to, "x")
	wantReceipt(t, r, Refused, ReasonFull)
	if Code(r.Err()) != "walky_refused_full" {
		t.Fatalf("code %q", Code(r.Err()))
	}
	wantReceipt(t, m.send(in("p2"), m.address("p1"), "x"), Delivered, "")
}

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
		for m.receiptOf(entry.ID).State != Delivered {
			time.Sleep(time.Millisecond)
		}
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
	for m.receiptOf(r.ID).State == Held {
		time.Sleep(time.Millisecond)
	}
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
	for m.receiptOf(r.ID).State != Delivered {
		time.Sleep(time.Millisecond)
	}
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
	for m.triesOf() < 3 {
		time.Sleep(time.Millisecond)
	}
	wantReceipt(t, m.receiptOf(held.ID), Held, "")
	if got := m.terminal.typed("p2"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
}

func (m *machine) triesOf() int {
	m.terminal.mu.Lock()
	defer m.terminal.mu.Unlock()
	return m.terminal.tries
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
