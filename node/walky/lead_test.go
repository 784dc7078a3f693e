package walky

import (
	"errors"
	"testing"
	"time"
)

func TestLeadPassesAMessageOnOnceAndReportsItsResult(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m := newMachine(t, func(config *Config) { config.Now = func() time.Time { return c.now } })
	_, changes, stop := m.Receipts()
	defer stop()
	v, err := OpenEnvelope(c.seal(t, c.outgoing()), c.member(t), c.now)
	if err != nil {
		t.Fatal(err)
	}
	r, fresh, err := m.Pass(t.Context(), v)
	if err != nil || !fresh || r.State != Accepted {
		t.Fatalf("Pass = %+v, %v, %v", r, fresh, err)
	}
	if err := m.Result("atlas", Receipt{ID: wireID, State: Read}); !errors.Is(err, ErrNotFound) {
		t.Fatalf("result by the sender's machine: %v", err)
	}
	if err := m.Result("boreas", Receipt{ID: wireID, State: Delivered}); err != nil {
		t.Fatal(err)
	}
	r, fresh, err = m.Pass(t.Context(), v)
	if err != nil || fresh || r.State != Delivered {
		t.Fatalf("second Pass = %+v, %v, %v", r, fresh, err)
	}
	for _, state := range []State{Accepted, Delivered} {
		if got := <-changes; got.State != state || got.Sender != "atlas" {
			t.Fatalf("reported %+v, want %s", got, state)
		}
	}
	if entries := m.Log(); len(entries) != 1 || entries[0].Direction != Through || entries[0].To.String() != "boreas:p1#k3f8" {
		t.Fatalf("log %+v", entries)
	}
	out := c.outgoing()
	out.Body = "other"
	v, err = OpenEnvelope(c.seal(t, out), c.member(t), c.now)
	if err != nil {
		t.Fatal(err)
	}
	_, fresh, err = m.Pass(t.Context(), v)
	wantCheck(t, err, CheckReplay)
	if fresh {
		t.Fatal("other content under a known id is to be delivered")
	}
}

func TestLeadRefusesAMachineOverItsCap(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m := newMachine(t, func(config *Config) {
		config.Now = func() time.Time { return c.now }
		config.Limits.SendPerMachine = 1
	})
	out := c.outgoing()
	for n, id := range []string{"01K000000000000000000000AB", "01K000000000000000000000AC"} {
		out.ID = id
		v, err := OpenEnvelope(c.seal(t, out), c.member(t), c.now)
		if err != nil {
			t.Fatal(err)
		}
		r, fresh, err := m.Pass(t.Context(), v)
		if err != nil || fresh != (n == 0) || n == 1 && r.Reason != ReasonBusy {
			t.Fatalf("Pass %d = %+v, %v, %v", n, r, fresh, err)
		}
	}
	if got := len(m.Log()); got != 1 {
		t.Fatalf("journal has %d messages, want 1", got)
	}
}

func TestLeadCountsAMachineBeforeItLooksAtASignature(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m := newMachine(t, func(config *Config) {
		config.Now = func() time.Time { return c.now }
		config.Limits.SendPerMachine = 2
	})
	forged := Envelope{sign(t, c.lead, c.message()), "hello"}
	_, err := m.Open(forged, c.member(t), c.now)
	wantCheck(t, err, CheckMessageSignature)
	v, err := m.Open(c.seal(t, c.outgoing()), c.member(t), c.now)
	if err != nil {
		t.Fatal(err)
	}
	if r, fresh, err := m.Pass(t.Context(), v); err != nil || !fresh {
		t.Fatalf("Pass = %+v, %v, %v: the message was counted twice", r, fresh, err)
	}
	_, err = m.Open(forged, c.member(t), c.now)
	if Code(err) != "walky_refused_busy" {
		t.Fatalf("Open over the cap: %v (%q)", err, Code(err))
	}
	other := c.member(t)
	other.ID = "cirrus"
	_, err = m.Open(forged, other, c.now)
	wantCheck(t, err, CheckMessageSignature)
}
