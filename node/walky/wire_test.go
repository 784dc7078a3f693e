package walky

import (
	"crypto/sha256"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// crew is a lead and two members, as far as statements know them.
type crew struct {
	id    statement.CrewID
	lead  *identity.Identity
	atlas *identity.Identity
	now   time.Time
}

const (
	leadID = "lead"
	wireID = "01K000000000000000000000AA"
)

func newCrew(t testing.TB) crew {
	t.Helper()
	random := rand.NewChaCha8([32]byte{1})
	now := time.UnixMilli(1_790_000_000_000).UTC()
	lead, err := identity.Generate(random, now)
	if err != nil {
		t.Fatal(err)
	}
	atlas, err := identity.Generate(random, now)
	if err != nil {
		t.Fatal(err)
	}
	return crew{statement.CrewID{7}, lead, atlas, now}
}

func cert(t testing.TB, id *identity.Identity) *identity.Certificate {
	t.Helper()
	c, err := identity.ParseCertificate(id.Certificate())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c crew) outgoing() Outgoing {
	return Outgoing{
		ID: wireID, From: Address{Pane: "p3", Token: "k3f9"}, Label: "builder", To: Address{"boreas", "p1", "k3f8"},
		Body: "hello", SentAt: c.now,
	}
}

func (c crew) seal(t testing.TB, out Outgoing) Envelope {
	t.Helper()
	e, err := Seal(c.atlas, c.id, "atlas", out)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (c crew) member(t testing.TB) Member {
	return Member{CrewID: c.id, ID: "atlas", Certificate: cert(t, c.atlas)}
}

func (c crew) receiver(t testing.TB) Receiver {
	return Receiver{CrewID: c.id, Generation: 3, MemberID: "boreas", Lead: leadID, LeadCert: cert(t, c.lead), LeadNow: c.now}
}

// deliver takes a message of atlas through the lead.
func (c crew) deliver(t testing.TB, out Outgoing) Delivery {
	t.Helper()
	v, err := OpenEnvelope(c.seal(t, out), c.member(t), c.now)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Attest(c.lead, 3, c.now, v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// message is what outgoing signs, to be changed by a test.
func (c crew) message() statement.Message {
	return statement.Message{
		CrewID: c.id, ID: wireID,
		From:   statement.From{Member: "atlas", Pane: "p3", Token: "k3f9", Label: "builder"},
		To:     statement.To{Member: "boreas", Pane: "p1", Token: "k3f8"},
		SentAt: c.now, Digest: sha256.Sum256([]byte("hello")), Length: 5,
	}
}

func sign(t testing.TB, signer statement.Signer, kind statement.Kind) statement.Signed {
	t.Helper()
	s, err := statement.Sign(signer, kind)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// attest signs an attestation over a message, which a test may have changed.
func (c crew) attest(t testing.TB, signed statement.Signed, change func(*statement.Attestation)) statement.Signed {
	t.Helper()
	a := statement.Attestation{
		CrewID: c.id, Generation: 3, MessageID: wireID, MessageDigest: statement.MessageDigest(signed),
		Sender: "atlas", SenderFingerprint: c.atlas.Fingerprint(), Receiver: "boreas", At: c.now,
	}
	if change != nil {
		change(&a)
	}
	return sign(t, c.lead, a)
}

// delivered is a delivery of a message that a test changed, well signed.
func (c crew) delivered(t testing.TB, change func(*statement.Message)) Delivery {
	t.Helper()
	m := c.message()
	change(&m)
	signed := sign(t, c.atlas, m)
	return Delivery{
		Message: signed, Body: "hello", SenderCertificate: c.atlas.Certificate(),
		Attestation: c.attest(t, signed, nil),
	}
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
