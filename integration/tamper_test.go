package integration_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/integration/harness"
	"collie/node/control"
	"collie/node/walky"
)

// A letter is what a test lead may change before it seals and attests.
type letter struct {
	message    walky.Outgoing
	crew       statement.CrewID
	generation uint64
	at         time.Time
	signer     *identity.Identity // of the attestation
}

func TestAMessageThatWasChangedOnTheWayIsRefusedByTheNameOfTheCheck(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "juno", "COLLIE_LABEL=juno").Start()
	lead := harness.LeadFor(t, m)
	pane := openAgent(t, m)
	token := harness.Token(t, m, pane)
	sender, err := identity.Generate(rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := identity.Generate(rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	other := statement.CrewID{1}

	for _, c := range []struct {
		check  string // empty: it is believed
		before func(*letter)
		after  func(*walky.Delivery)
	}{
		{check: ""},
		{check: walky.CheckDigest, after: func(d *walky.Delivery) { d.Body = "rm -rf everything" }},
		{check: walky.CheckMessage, after: func(d *walky.Delivery) { d.Message.Statement = flip(d.Message.Statement) }},
		{check: walky.CheckMessageSignature, after: func(d *walky.Delivery) { d.Message.Signature = flip(d.Message.Signature) }},
		{check: walky.CheckAttestationSignature, after: func(d *walky.Delivery) { d.Attestation.Statement = flip(d.Attestation.Statement) }},
		{check: walky.CheckAttestationSignature, before: func(l *letter) { l.signer = stranger }},
		{check: walky.CheckCertificate, after: func(d *walky.Delivery) { d.SenderCertificate = stranger.Certificate() }},
		{check: walky.CheckReceiver, before: func(l *letter) { l.message.To.Machine = "iris" }},
		{check: walky.CheckGeneration, before: func(l *letter) { l.generation = 0 }},
		{check: walky.CheckCrew, before: func(l *letter) { l.crew = other }},
		{check: walky.CheckDevice, before: func(l *letter) { l.message.Device = "Pixel" }}, // of a member, which the lead passes on
		{check: walky.CheckTime, before: func(l *letter) {
			l.at = l.at.Add(-10 * time.Minute)
			l.message.SentAt = l.at
		}},
		{check: walky.CheckTime, before: func(l *letter) {
			l.at = l.at.Add(10 * time.Minute)
			l.message.SentAt = l.at
		}},
	} {
		crew := lead.Store.Crew()
		l := letter{
			message: walky.Outgoing{
				ID: ulid.MustNew(ulid.Now(), rand.Reader).String(), To: walky.Address{Machine: lead.MemberID, Pane: pane, Token: token}, Label: "peer",
				Body: "the build is green", SentAt: time.Now(),
			},
			crew: crew.ID, generation: crew.Generation, at: time.Now(), signer: lead.Identity,
		}
		if c.before != nil {
			c.before(&l)
		}
		delivery := l.seal(t, sender)
		if c.after != nil {
			c.after(&delivery)
		}
		before := screenOf(m, pane)
		var receipt walky.Receipt
		if err := lead.Call("/walky/deliver", delivery, &receipt); err != nil {
			t.Fatalf("%s: %v", c.check, err)
		}
		if c.check == "" {
			if receipt.State != walky.Delivered {
				t.Fatalf("an honest message is %s (%s), want delivered", receipt.State, receipt.Reason)
			}
			harness.Eventually(t, "the announcement", func() bool { return screenOf(m, pane) != before })
			harness.Eventually(t, "the agent's answer", func() bool { return strings.Contains(screenOf(m, pane), "agent read") })
			continue
		}
		if want := "check " + c.check; receipt.State != walky.Refused || receipt.Reason != want {
			t.Errorf("receipt is %s (%s), want refused (%s)", receipt.State, receipt.Reason, want)
		}
		if after := screenOf(m, pane); after != before {
			t.Errorf("%s: a refused message left something in the pane:\n%s", c.check, after)
		}
	}
	for _, item := range harness.JSON[[]control.WalkyItem](m, "walky", "inbox")[1:] {
		t.Errorf("a refused message is in the inbox: %+v", item)
	}
}

// seal signs as the sender and attests as the lead.
func (l letter) seal(t *testing.T, sender *identity.Identity) walky.Delivery {
	t.Helper()
	envelope, err := walky.Seal(sender, l.crew, "mallory", l.message)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := identity.ParseCertificate(sender.Certificate())
	if err != nil {
		t.Fatal(err)
	}
	verified, err := walky.OpenEnvelope(envelope, walky.Member{CrewID: l.crew, ID: "mallory", Certificate: certificate, Self: true}, l.message.SentAt)
	if err != nil {
		t.Fatal(err)
	}
	delivery, err := walky.Attest(l.signer, l.generation, l.at, verified)
	if err != nil {
		t.Fatal(err)
	}
	return delivery
}

// flip changes the last bit.
func flip(data []byte) []byte {
	changed := append([]byte(nil), data...)
	changed[len(changed)-1] ^= 1
	return changed
}
