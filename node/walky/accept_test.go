package walky

import (
	"slices"
	"strings"
	"testing"
	"time"

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

func TestHeldMessagesAreRefusedByAMachineThatIsOffNow(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	m.terminal.setBusy("p1", true)
	r := m.send(operator, m.address("p1"), "x")
	wantReceipt(t, r, Held, "")
	m.terminal.setBusy("p1", false)
	m = m.restart(func(c *Config) { c.Off = true })
	m.until("the refusal", func() bool { return m.receiptOf(r.ID).State != Held })
	wantReceipt(t, m.receiptOf(r.ID), Refused, ReasonOff)
	if got := m.terminal.typed("p1"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
}
