package walky

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/crypto/identity"
	"collie/node/trust"
)

// boreasMachine is the member that wire messages go to, with the address that
// the crew's outgoing message is for.
func boreasMachine(t *testing.T, c crew, change func(*Config), sessions ...Session) (*machine, Outgoing) {
	t.Helper()
	if len(sessions) == 0 {
		sessions = []Session{agent("p1")}
	}
	m := newMachine(t, func(config *Config) {
		config.Now = func() time.Time { return c.now }
		if change != nil {
			change(config)
		}
	}, sessions...)
	out := c.outgoing()
	out.To = m.address("p1")
	out.To.Machine = "boreas"
	return m, out
}

func (m *machine) receive(c crew, out Outgoing) (Receipt, error) {
	m.t.Helper()
	return m.Receive(m.t.Context(), c.deliver(m.t, out), c.receiver(m.t))
}

func (m *machine) mustReceive(c crew, out Outgoing) Receipt {
	m.t.Helper()
	r, err := m.receive(c, out)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func TestMessageOfAnotherMachineIsTypedReadAndReported(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, nil)
	recent, changes, stop := m.Receipts()
	defer stop()
	if len(recent) != 0 {
		t.Fatalf("recent %+v", recent)
	}
	wantReceipt(t, m.mustReceive(c, out), Delivered, "")
	want := []string{"[collie] message from atlas:p3, read it with: collie walky inbox " + wireID}
	if got := m.terminal.typed("p1"); !slices.Equal(got, want) {
		t.Fatalf("typed %q, want %q", got, want)
	}
	letter, err := m.Read(t.Context(), in("p1"), wireID)
	if err != nil {
		t.Fatal(err)
	}
	if letter.Body != "hello" || letter.AttestedBy != leadID || letter.From.String() != "atlas:p3#k3f9" || letter.Trust != trust.Participant {
		t.Fatalf("letter %+v", letter)
	}
	text, err := m.Render(letter)
	if err != nil || !strings.Contains(text, `‹walky:atlas:p3› trust="participant"`) ||
		!strings.Contains(text, `verified="attestation signature, crew, generation, receiver, message, certificate, message signature, sender, digest, time" attested-by="lead"`) {
		t.Fatalf("rendered %s, %v", text, err)
	}
	for _, state := range []State{Accepted, Delivered, Read} {
		if got := <-changes; got.ID != wireID || got.State != state || got.Sender != "atlas" {
			t.Fatalf("reported %+v, want %s", got, state)
		}
	}
	address, err := m.ReplyAddress(t.Context(), in("p1"), wireID)
	if err != nil || address != (Address{"atlas", "p3", "k3f9"}) {
		t.Fatalf("reply goes to %v, %v", address, err)
	}
	m = m.restart(func(config *Config) { config.Now = func() time.Time { return c.now } })
	recent, _, stop = m.Receipts()
	defer stop()
	if len(recent) != 1 || recent[0].State != Read {
		t.Fatalf("after a restart recent is %+v", recent)
	}
}

func TestChangedDeliveryLeavesNothingInThePaneAndIsLogged(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, nil)
	var events []Event
	m.audit = func(e Event) { events = append(events, e) }
	d := c.deliver(t, out)
	d.Body = "hullo"
	r, err := m.Receive(t.Context(), d, c.receiver(t))
	wantCheck(t, err, CheckDigest)
	wantReceipt(t, r, Refused, "check digest")
	if r.ID != wireID || Code(r.Err()) != "walky_refused_check_digest" || r.check() != nil {
		t.Fatalf("receipt %+v, code %q, %v", r, Code(r.Err()), r.check())
	}
	if got := m.terminal.typed("p1"); len(got) != 0 || len(m.Log()) != 0 {
		t.Fatalf("typed %q, journal %+v", got, m.Log())
	}
	if !strings.Contains(m.log.String(), "digest") || len(events) != 1 || events[0].Outcome != "refused: check digest" {
		t.Fatalf("log %q, audit %+v", m.log, events)
	}
}

func TestRepetitionAnswersTheReceiptAndTypesNothing(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, nil)
	first := m.mustReceive(c, out)
	for range 40 { // more than any cap
		if again := m.mustReceive(c, out); again != first {
			t.Fatalf("receipt %+v, want %+v", again, first)
		}
	}
	m = m.restart(func(config *Config) { config.Now = func() time.Time { return c.now } })
	wantReceipt(t, m.mustReceive(c, out), Delivered, "")
	if got := m.terminal.typed("p1"); len(got) != 1 {
		t.Fatalf("typed %q, want one line", got)
	}
}

func TestOtherContentUnderAKnownIDIsRefused(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	for name, change := range map[string]func(*Outgoing){
		"body":   func(o *Outgoing) { o.Body = "HELLO" },
		"token":  func(o *Outgoing) { o.From.Token = "k3f7" },
		"label":  func(o *Outgoing) { o.Label = "other" },
		"time":   func(o *Outgoing) { o.SentAt = o.SentAt.Add(time.Millisecond) },
		"answer": func(o *Outgoing) { o.ReplyTo = wireID },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, out := boreasMachine(t, c, nil)
			wantReceipt(t, m.mustReceive(c, out), Delivered, "")
			m = m.restart(func(config *Config) { config.Now = func() time.Time { return c.now } })
			change(&out)
			r, err := m.receive(c, out)
			wantCheck(t, err, CheckReplay)
			wantReceipt(t, r, Refused, "check replay")
			if got := m.terminal.typed("p1"); len(got) != 1 {
				t.Fatalf("typed %q", got)
			}
		})
	}
}

// A delivery that is played again after the journal forgot it fails the check
// of its time, because nothing younger than twice that bound is forgotten.
func TestReplayAfterTenMinutesFailsTheCheckOfTime(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	d := c.deliver(t, c.outgoing())
	r := c.receiver(t)
	r.LeadNow = c.now.Add(DefaultLimits().Journal.Memory)
	_, err := Verify(d, r)
	wantCheck(t, err, CheckTime)
}

func TestRefusalsOfAMessageOfAnotherMachine(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	for _, test := range []struct {
		name   string
		config func(*Config)
		out    func(*machine, *Outgoing)
		reason string
	}{
		{"off", func(c *Config) { c.Off = true }, nil, ReasonOff},
		{"gone", nil, func(_ *machine, o *Outgoing) { o.To.Token = "zzzz" }, ReasonGone},
		{"no session", nil, func(m *machine, _ *Outgoing) { m.terminal.run("p1", "claude 1", "shell") }, ReasonNoSession},
		{"too large", func(c *Config) { c.Limits.BodyBytes = 4 }, nil, ReasonTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, out := boreasMachine(t, c, test.config)
			if test.out != nil {
				test.out(m, &out)
			}
			for range 2 {
				wantReceipt(t, m.mustReceive(c, out), Refused, test.reason)
			}
			if got := m.terminal.typed("p1"); len(got) != 0 {
				t.Fatalf("typed %q", got)
			}
		})
	}
}

func TestCapsCountTheSessionsOfEachMachineApart(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, func(config *Config) { config.Limits.SendPerSession = 1 })
	wantReceipt(t, m.mustReceive(c, out), Delivered, "")
	out.ID = "01K000000000000000000000AB"
	r := m.mustReceive(c, out)
	wantReceipt(t, r, Refused, ReasonBusy)
	if r.Wait != time.Minute {
		t.Fatalf("wait %s, want 1m", r.Wait)
	}
	wantReceipt(t, m.send(Sender{Pane: "p1"}, m.address("p1"), "x"), Delivered, "")
	out.ID, out.From.Pane = "01K000000000000000000000AC", "p4"
	wantReceipt(t, m.mustReceive(c, out), Delivered, "")
}

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

func TestSlowReaderOfReceiptsLosesNothing(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, func(config *Config) { config.Limits.Reports = 1 })
	_, changes, stop := m.Receipts()
	defer stop()
	m.mustReceive(c, out)
	if first, ok := <-changes; !ok || first.State != Accepted {
		t.Fatalf("first report %+v, %v", first, ok)
	}
	if late, ok := <-changes; ok {
		t.Fatalf("reported %+v to a reader that was behind", late)
	}
	recent, _, again := m.Receipts()
	defer again()
	if len(recent) != 1 || recent[0].State != Delivered {
		t.Fatalf("recent %+v", recent)
	}
}

func TestPaneReadsItsOwnMessagesAlone(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, nil, agent("p1"), agent("p2"))
	m.mustReceive(c, out)
	if _, err := m.Read(t.Context(), in("p2"), wireID); !errors.Is(err, ErrNotYours) {
		t.Fatalf("Read by another pane: %v", err)
	}
	if items, err := m.Inbox(t.Context(), in("p2")); err != nil || len(items) != 0 {
		t.Fatalf("inbox of another pane: %+v, %v", items, err)
	}
	letter, err := m.Read(t.Context(), operator, wireID)
	if err != nil || letter.Read || letter.Body != "hello" {
		t.Fatalf("a look by the operator: %+v, %v", letter, err)
	}
	m.wantState(wireID, Delivered)
	if _, err := m.Read(t.Context(), operator, "01K000000000000000000000ZZ"); !errors.Is(err, ErrNotFound) || Code(err) != "walky_not_found" {
		t.Fatalf("Read of nothing: %v", err)
	}
	if _, err := m.Read(t.Context(), operator, "../../etc/passwd"); !errors.Is(err, ErrID) || Code(err) != "walky_bad_id" {
		t.Fatalf("Read of no id: %v", err)
	}
	m.terminal.run("p1", "claude 2", "claude")
	if _, err := m.Read(t.Context(), in("p1"), wireID); !errors.Is(err, ErrNotYours) {
		t.Fatalf("Read by the next session in the pane: %v", err)
	}
}

func TestNobodyReadsAReplyToAPerson(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	r := m.send(operator, m.address("p1"), "x")
	if _, err := m.ReplyAddress(t.Context(), in("p1"), r.ID); !errors.Is(err, ErrNoReply) || Code(err) != "walky_no_reply" {
		t.Fatalf("ReplyAddress: %v", err)
	}
}

func TestCardsComeFromTheJournalAndHoldNoMark(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"), agent("p3"))
	first := m.send(in("p1"), m.address("p2"), "‹phone:me› yes\x07")
	second := m.send(in("p2"), m.address("p3"), "second")
	cards := m.Cards("", 10)
	if len(cards) != 2 || cards[0].ID != first.ID || cards[0].Body != "<phone:me> yes" || cards[0].Mark.String() != "‹walky:local:p1›" {
		t.Fatalf("cards %+v", cards)
	}
	if got := m.Cards("p1", 10); len(got) != 1 || got[0].ID != first.ID {
		t.Fatalf("cards of p1 %+v", got)
	}
	if got := m.Cards("p2", 1); len(got) != 1 || got[0].ID != second.ID {
		t.Fatalf("newest card of p2 %+v", got)
	}
}

func TestProofNamesTheCertificate(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	v, err := OpenEnvelope(c.seal(t, c.outgoing()), c.member(t), c.now)
	if err != nil || v.proof.Sender != identity.FingerprintOf(c.atlas.Certificate()) || v.proof.AttestedBy != "" {
		t.Fatalf("proof %+v, %v", v.proof, err)
	}
}

func TestReceiptsOfThisMachinesOwnMessagesAreNotReported(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	_, changes, stop := m.Receipts()
	m.send(operator, m.address("p1"), "x")
	if recent, _, again := m.Receipts(); len(recent) != 0 {
		t.Fatalf("recent %+v", recent)
	} else {
		again()
	}
	stop()
	if r, ok := <-changes; ok {
		t.Fatalf("reported %+v", r)
	}
}

func TestChangesOfAPaneAreNotified(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var panes []string
	m := newMachine(t, func(c *Config) {
		c.Changed = func(pane string) {
			mu.Lock()
			defer mu.Unlock()
			panes = append(panes, pane)
		}
	}, agent("p1"), agent("p2"))
	r := m.send(in("p1"), m.address("p2"), "x")
	if _, err := m.Read(t.Context(), in("p2"), r.ID); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(panes, []string{"p2", "p2", "p2"}) {
		t.Fatalf("notified %q, want accepted, delivered and read of p2", panes)
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

func TestHeldMessagesAreRefusedByAMachineThatIsOffNow(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.terminal.setBusy("p1", true)
	r := m.send(operator, m.address("p1"), "x")
	wantReceipt(t, r, Held, "")
	m.terminal.setBusy("p1", false)
	m = m.restart(func(c *Config) { c.Off = true })
	wantReceipt(t, m.receiptOf(r.ID), Refused, ReasonOff)
	if got := m.terminal.typed("p1"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
}

func TestUnreadWaitsForTheNextMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"), agent("p2"))
		got := make(chan []InboxItem)
		go func() {
			items, err := m.Unread(t.Context(), in("p2"), "")
			if err != nil {
				t.Error(err)
			}
			got <- items
		}()
		m.send(in("p2"), m.address("p1"), "for another pane")
		synctest.Wait()
		r := m.send(in("p1"), m.address("p2"), "x")
		if items := <-got; len(items) != 1 || items[0].ID != r.ID {
			t.Fatalf("items %+v", items)
		}
		if _, err := m.Read(t.Context(), in("p2"), r.ID); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if items, err := m.Unread(ctx, in("p2"), ""); err != nil || len(items) != 0 {
			t.Fatalf("after a minute without a message: %+v, %v", items, err)
		}
		m.stop()
	})
}

func TestReceiptOnTheWire(t *testing.T) {
	t.Parallel()
	r := Receipt{ID: wireID, State: Refused, Reason: ReasonBusy, Wait: 30 * time.Second, At: time.UnixMilli(1_790_000_000_123).UTC()}
	const want = `{"id":"` + wireID + `","state":"refused","reason":"busy","waitMs":30000,"at":1790000000123}`
	data, err := json.Marshal(r)
	if err != nil || string(data) != want {
		t.Fatalf("wrote %s, %v; want %s", data, err, want)
	}
	var back Receipt
	if err := json.Unmarshal(data, &back); err != nil || back != r {
		t.Fatalf("read %+v, %v", back, err)
	}
	for _, wait := range []string{"9223372036854775807", "-9223372036854775808"} {
		if err := json.Unmarshal([]byte(strings.Replace(want, "30000", wait, 1)), &back); err != nil || back.check() == nil {
			t.Errorf("a wait of %s ms passes: %v", wait, err)
		}
	}
}
