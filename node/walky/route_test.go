package walky

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

type testRoute struct {
	self   string
	answer func(Outgoing) (Receipt, error)
	recall func(Recall) (Receipt, error)
	peers  []Peer
	err    error
}

func (r *testRoute) Forward(_ context.Context, o Outgoing) (Receipt, error) { return r.answer(o) }
func (r *testRoute) Recall(_ context.Context, _ string, what Recall) (Receipt, error) {
	return r.recall(what)
}
func (r *testRoute) Who(context.Context) ([]Peer, error) { return r.peers, r.err }
func (r *testRoute) SelfMember() string                  { return r.self }

var boreas = Address{"boreas", "p9", "k3f9"}

func TestOutcomeOfAForward(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer func(Outgoing) (Receipt, error)
		state  State
		reason string
	}{
		{"delivered", func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: Delivered}, nil }, Delivered, ""},
		{"held", func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: Held}, nil }, Held, ""},
		{"refused", func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: Refused, Reason: "gone"}, nil }, Refused, ReasonGone},
		{"not sent", func(Outgoing) (Receipt, error) { return Receipt{}, fmt.Errorf("%w: no link", ErrNotSent) }, Refused, ReasonUnreachable},
		{"no answer", func(Outgoing) (Receipt, error) { return Receipt{}, errors.New("link broke") }, Unknown, ""},
		{"answer for another message", func(Outgoing) (Receipt, error) {
			return Receipt{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", State: Read}, nil
		}, Unknown, ""},
		{"answer with a worded reason", func(o Outgoing) (Receipt, error) {
			return Receipt{ID: o.ID, State: Refused, Reason: "run `curl`"}, nil
		}, Unknown, ""},
		{"answer of an unknown state", func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: "seen"}, nil }, Unknown, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, nil, agent("p1"))
			var got Outgoing
			m.SetRoute(&testRoute{self: "atlas", answer: func(o Outgoing) (Receipt, error) {
				got = o
				return test.answer(o)
			}})
			r := m.send(in("p1"), boreas, "hello")
			wantReceipt(t, r, test.state, test.reason)
			if got.ID != r.ID || got.From != m.address("p1") || got.Label != "agent p1" || got.To != boreas || got.Body != "hello" {
				t.Fatalf("forwarded %+v", got)
			}
			m = m.restart(nil)
			if entries := m.Log(); len(entries) != 1 || entries[0].State != test.state || entries[0].Direction != Out {
				t.Fatalf("journal has %+v", entries)
			}
		})
	}
}

func TestAddressOfThisMachineByItsMemberIDIsLocal(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.SetRoute(&testRoute{self: "atlas"})
	to := m.address("p1")
	to.Machine = "atlas"
	wantReceipt(t, m.send(operator, to, "x"), Delivered, "")
}

func TestForwardGoesOnWithoutItsCaller(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	ctx, cancel := context.WithCancel(t.Context())
	m.SetRoute(&testRoute{answer: func(o Outgoing) (Receipt, error) {
		cancel()
		return Receipt{ID: o.ID, State: Delivered}, nil
	}})
	r, err := m.Send(ctx, in("p1"), boreas, "x", "")
	if err != nil {
		t.Fatal(err)
	}
	m.wantState(r.ID, Delivered)
}

func TestACallerWaitsForAForwardOnlyAsLongAsItSays(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(c *Config) { c.Limits.ForwardFor = time.Hour }, agent("p1"))
	m.SetRoute(waitingRoute{make(chan struct{})})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	r, err := m.Send(ctx, operator, boreas, "x", "")
	if err != nil {
		t.Fatal(err)
	}
	wantReceipt(t, r, Accepted, "")
	m.stop()
	if got := m.Log(); len(got) != 1 || got[0].State != Unknown {
		t.Errorf("at the end the journal has %+v, want it unknown", got)
	}
}

func TestResultIsTakenOnlyForAMessageThatWasSent(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.SetRoute(&testRoute{answer: func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: Held}, nil }})
	local := m.send(operator, m.address("p1"), "x")
	out := m.send(in("p1"), boreas, "x")
	for _, test := range []struct {
		name string
		by   string
		r    Receipt
		want error
	}{
		{"never sent", "", Receipt{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", State: Read}, ErrNotFound},
		{"for a session here", "", Receipt{ID: local.ID, State: Read}, ErrNotFound},
		{"by another member", "cirrus", Receipt{ID: out.ID, State: Read}, ErrNotFound},
		{"cancelled by the receiver", "", Receipt{ID: out.ID, State: Cancelled}, ErrReceipt},
		{"unknown state", "", Receipt{ID: out.ID, State: "eaten"}, ErrReceipt},
		{"reason without refusal", "", Receipt{ID: out.ID, State: Read, Reason: "gone"}, ErrReceipt},
		{"refusal without reason", "", Receipt{ID: out.ID, State: Refused}, ErrReceipt},
		{"long reason", "", Receipt{ID: out.ID, State: Refused, Reason: string(make([]byte, 65))}, ErrReceipt},
		{"long wait", "", Receipt{ID: out.ID, State: Refused, Reason: "busy", Wait: 2 * time.Hour}, ErrReceipt},
	} {
		if err := m.Result(test.by, test.r); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	wantReceipt(t, m.receiptOf(out.ID), Held, "")
	wantReceipt(t, m.receiptOf(local.ID), Delivered, "")
	for _, state := range []State{Delivered, Delivered, Read, Delivered, Read} {
		if err := m.Result("boreas", Receipt{ID: out.ID, State: state}); err != nil {
			t.Fatalf("%s: %v", state, err)
		}
	}
	wantReceipt(t, m.receiptOf(out.ID), Read, "")
}

func TestHeldElsewhereWithoutAnyMoreWordBecomesUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"))
		m.SetRoute(&testRoute{answer: func(o Outgoing) (Receipt, error) { return Receipt{ID: o.ID, State: Held}, nil }})
		r := m.send(in("p1"), boreas, "x")
		wantReceipt(t, r, Held, "")
		time.Sleep(time.Hour)
		synctest.Wait()
		m.wantState(r.ID, Held)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		m.wantState(r.ID, Unknown)
		m.stop()
	})
}

func TestCrashDuringAForwardIsUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	var folder string
	m.SetRoute(&testRoute{answer: func(o Outgoing) (Receipt, error) {
		folder = m.copyState()
		return Receipt{ID: o.ID, State: Delivered}, nil
	}})
	r := m.send(in("p1"), boreas, "x")
	after := startMachine(t, folder, newTestTerminal(agent("p1")), nil)
	after.wantState(r.ID, Unknown)
	if err := after.Result("", Receipt{ID: r.ID, State: Delivered}); err != nil {
		t.Fatal(err)
	}
	after.wantState(r.ID, Delivered)
}

func TestWhoListsSessionsAndMarksTheCaller(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"), Session{Pane: "sh", Harness: "shell"})
	peers, err := m.Who(t.Context(), in("sh"))
	if err != nil || len(peers) != 3 || peers[0].Address != m.address("p1") || peers[0].You || !peers[2].You {
		t.Fatalf("solo: %+v, %v", peers, err)
	}
	m.SetRoute(&testRoute{self: "atlas", peers: []Peer{{Address: boreas, Harness: "codex"}}})
	peers, err = m.Who(t.Context(), in("p2"))
	if err != nil || len(peers) != 3 || peers[0].Address.Machine != "atlas" || !peers[1].You || peers[2].Address != boreas {
		t.Fatalf("crew: %+v, %v", peers, err)
	}
	m.SetRoute(&testRoute{self: "atlas", err: errors.New("no link")})
	if peers, err = m.Who(t.Context(), operator); err == nil || len(peers) != 2 {
		t.Fatalf("crew without a link: %+v, %v", peers, err)
	}
}

func TestCloseEndsAForwardWhoseOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(c *Config) { c.Limits.ForwardFor = time.Hour }, agent("p1"))
	forwarding := make(chan struct{})
	m.SetRoute(waitingRoute{forwarding})
	sent := make(chan Receipt, 1)
	go func() {
		r, err := m.Send(t.Context(), operator, boreas, "x", "")
		if err != nil {
			t.Error(err)
		}
		sent <- r
	}()
	<-forwarding
	m.stop()
	wantReceipt(t, <-sent, Unknown, "")
	if _, err := m.Send(t.Context(), operator, boreas, "x", ""); !errors.Is(err, ErrClosed) || Code(err) != "walky_closed" {
		t.Fatalf("Send after Close: %v", err)
	}
}

// waitingRoute never answers.
type waitingRoute struct{ forwarding chan struct{} }

func (r waitingRoute) Forward(ctx context.Context, _ Outgoing) (Receipt, error) {
	close(r.forwarding)
	<-ctx.Done()
	return Receipt{}, ctx.Err()
}

func (r waitingRoute) Recall(ctx context.Context, _ string, _ Recall) (Receipt, error) {
	<-ctx.Done()
	return Receipt{}, ctx.Err()
}
func (r waitingRoute) Who(context.Context) ([]Peer, error) { return nil, nil }
func (r waitingRoute) SelfMember() string                  { return "atlas" }
