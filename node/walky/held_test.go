package walky

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

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
		m.delivers(entry.ID)
	}
	if got := m.terminal.typed("p2"); !slices.Equal(got, want) {
		t.Fatalf("typed %q, want %q", got, want)
	}
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
		if _, err := m.Read(t.Context(), in("p1"), r.ID); !errors.Is(err, ErrNoInbox) {
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
