package walky

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

func wantCheck(t *testing.T, err error, check string) {
	t.Helper()
	var failed *CheckError
	if !errors.As(err, &failed) || failed.Check != check || Code(err) != "walky_check_failed" {
		t.Fatalf("error is %v (%q), want the check of %s", err, Code(err), check)
	}
}

func TestDeliveryThatNobodyChangedPasses(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	d := c.deliver(t, c.outgoing())
	wire, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back Delivery
	if err := json.Unmarshal(wire, &back); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(back, c.receiver(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.Message() != c.message() || v.Body() != "hello" {
		t.Fatalf("verified %+v %q", v.Message(), v.Body())
	}
	want := []string{
		"attestation signature", "crew", "generation", "receiver", "message", "certificate", "message signature", "sender",
		"digest", "time",
	}
	if !slices.Equal(v.proof.Checks, want) || v.proof.AttestedBy != leadID || !v.proof.Sender.Equal(c.atlas.Fingerprint()) {
		t.Fatalf("proof %+v", v.proof)
	}
}

func TestEachCheckOfADelivery(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	body := func(d Delivery, body string) Delivery { d.Body = body; return d }
	attested := func(change func(*statement.Attestation)) Delivery {
		d := c.deliver(t, c.outgoing())
		d.Attestation = c.attest(t, d.Message, change)
		return d
	}
	signedBy := func(signer statement.Signer) Delivery {
		d := c.deliver(t, c.outgoing())
		d.Message = sign(t, signer, c.message())
		d.Attestation = c.attest(t, d.Message, nil)
		return d
	}
	good := c.deliver(t, c.outgoing())
	flip := func(s statement.Signed, at int) statement.Signed {
		s.Statement = bytes.Clone(s.Statement)
		s.Statement[at] ^= 1
		return s
	}
	for _, test := range []struct {
		name  string
		d     Delivery
		check string
	}{
		{"body", body(good, "hullo"), CheckDigest},
		{"body longer", body(good, "hello "), CheckDigest},
		{"body empty", body(good, ""), CheckDigest},
		{"signed digest", c.delivered(t, func(m *statement.Message) { m.Digest[0] ^= 1 }), CheckDigest},
		{"signed length", c.delivered(t, func(m *statement.Message) { m.Length++ }), CheckDigest},
		{"signed sender", c.delivered(t, func(m *statement.Message) { m.From.Member = "cirrus" }), CheckSender},
		{"signed receiver", c.delivered(t, func(m *statement.Message) { m.To.Member = "cirrus" }), CheckReceiver},
		{"signed crew", c.delivered(t, func(m *statement.Message) { m.CrewID[0] ^= 1 }), CheckCrew},
		{"signed id", c.delivered(t, func(m *statement.Message) { m.ID = "01K000000000000000000000AB" }), CheckMessage},
		{"token of another form", c.delivered(t, func(m *statement.Message) { m.To.Token = "k3f90" }), CheckForm},
		{"look-alike in a token", c.delivered(t, func(m *statement.Message) { m.From.Token = "k3f0" }), CheckForm},
		{"token without a pane", c.delivered(t, func(m *statement.Message) { m.From.Pane = "" }), CheckForm},
		{"message bytes", func() Delivery { d := good; d.Message = flip(d.Message, 60); return d }(), CheckMessage},
		{"message signed by another key", signedBy(c.lead), CheckMessageSignature},
		{"message without signature", func() Delivery {
			d := good
			d.Message.Signature = nil
			return d
		}(), CheckMessageSignature},
		{"attestation bytes", func() Delivery { d := good; d.Attestation = flip(d.Attestation, 60); return d }(), CheckAttestationSignature},
		{"attestation by a member", func() Delivery {
			d := good
			d.Attestation = sign(t, c.atlas, statement.Attestation{
				CrewID: c.id, Generation: 3, MessageID: wireID, MessageDigest: statement.MessageDigest(d.Message),
				Sender: "atlas", SenderFingerprint: c.atlas.Fingerprint(), Receiver: "boreas", At: c.now,
			})
			return d
		}(), CheckAttestationSignature},
		{"attestation of another kind", func() Delivery { d := good; d.Attestation = sign(t, c.lead, c.message()); return d }(), CheckForm},
		{"message of another kind", func() Delivery {
			d := good
			d.Message = sign(t, c.atlas, statement.Attestation{
				CrewID: c.id, MessageID: wireID, Sender: "atlas", Receiver: "boreas", At: c.now,
			})
			d.Attestation = c.attest(t, d.Message, nil)
			return d
		}(), CheckForm},
		{"attested crew", attested(func(a *statement.Attestation) { a.CrewID[0] ^= 1 }), CheckCrew},
		{"attested generation", attested(func(a *statement.Attestation) { a.Generation = 2 }), CheckGeneration},
		{"attested receiver", attested(func(a *statement.Attestation) { a.Receiver = "cirrus" }), CheckReceiver},
		{"attested id", attested(func(a *statement.Attestation) { a.MessageID = "01K000000000000000000000AB" }), CheckMessage},
		{"attested message", attested(func(a *statement.Attestation) { a.MessageDigest[0] ^= 1 }), CheckMessage},
		{"attested sender", attested(func(a *statement.Attestation) { a.Sender = "cirrus" }), CheckSender},
		{"attested fingerprint", attested(func(a *statement.Attestation) { a.SenderFingerprint[0] ^= 1 }), CheckCertificate},
		{"attested too late", attested(func(a *statement.Attestation) { a.At = c.now.Add(5*time.Minute + time.Millisecond) }), CheckTime},
		{"attested too early", attested(func(a *statement.Attestation) { a.At = c.now.Add(-5*time.Minute - time.Millisecond) }), CheckTime},
		{"certificate of another", func() Delivery { d := good; d.SenderCertificate = c.lead.Certificate(); return d }(), CheckCertificate},
		{"no certificate", func() Delivery {
			d := attested(func(a *statement.Attestation) {
				a.SenderFingerprint = [32]byte{0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55}
			})
			d.SenderCertificate = nil
			return d
		}(), CheckCertificate},
		{"nothing", Delivery{}, CheckAttestationSignature},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Verify(test.d, c.receiver(t))
			wantCheck(t, err, test.check)
		})
	}
}

func TestTimesAtTheVeryBoundPass(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	d := c.deliver(t, c.outgoing())
	for _, off := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
		r := c.receiver(t)
		r.LeadNow = c.now.Add(off)
		r.Generation = 2 // the lead may be newer than the member knows
		if _, err := Verify(d, r); err != nil {
			t.Errorf("off by %s: %v", off, err)
		}
		if _, err := OpenEnvelope(c.seal(t, c.outgoing()), c.member(t), c.now.Add(off)); err != nil {
			t.Errorf("envelope off by %s: %v", off, err)
		}
	}
}

func TestEachCheckOfAnEnvelope(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	signed := func(change func(*statement.Message)) Envelope {
		m := c.message()
		change(&m)
		return Envelope{sign(t, c.atlas, m), "hello"}
	}
	for _, test := range []struct {
		name  string
		e     Envelope
		check string
	}{
		{"signed by another key", Envelope{sign(t, c.lead, c.message()), "hello"}, CheckMessageSignature},
		{"another kind", Envelope{c.attest(t, statement.Signed{}, nil), "hello"}, CheckMessageSignature},
		{"own attestation as a message", Envelope{sign(t, c.atlas, statement.Attestation{
			MessageID: wireID, Sender: "atlas", Receiver: "boreas", At: c.now,
		}), "hello"}, CheckForm},
		{"crew", signed(func(m *statement.Message) { m.CrewID[0] ^= 1 }), CheckCrew},
		{"from another member", signed(func(m *statement.Message) { m.From.Member = "boreas" }), CheckSender},
		{"body", Envelope{sign(t, c.atlas, c.message()), "hullo"}, CheckDigest},
		{"length", signed(func(m *statement.Message) { m.Length = 6 }), CheckDigest},
		{"receiver's token", signed(func(m *statement.Message) { m.To.Token = "a" }), CheckForm},
		{"late", signed(func(m *statement.Message) { m.SentAt = c.now.Add(-5*time.Minute - time.Millisecond) }), CheckTime},
		{"early", signed(func(m *statement.Message) { m.SentAt = c.now.Add(5*time.Minute + time.Millisecond) }), CheckTime},
		{"far", signed(func(m *statement.Message) { m.SentAt = time.UnixMilli(253402300799999).UTC() }), CheckTime},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := OpenEnvelope(test.e, c.member(t), c.now)
			wantCheck(t, err, test.check)
		})
	}
}

func TestMessageMakesOneHop(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	v, err := Verify(c.deliver(t, c.outgoing()), c.receiver(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Attest(c.atlas, 3, c.now, v); !errors.Is(err, ErrHop) {
		t.Fatalf("Attest of an attested message: %v", err)
	}
}

// The lead's own sessions and the phone go through the same two statements.
func TestMessageOfTheLeadItselfPasses(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	out := c.outgoing()
	out.From = Address{}
	out.Label = "phone"
	e, err := Seal(c.lead, c.id, leadID, out)
	if err != nil {
		t.Fatal(err)
	}
	v, err := OpenEnvelope(e, Member{CrewID: c.id, ID: leadID, Certificate: cert(t, c.lead), Self: true}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Attest(c.lead, 3, c.now, v)
	if err != nil {
		t.Fatal(err)
	}
	if v, err = Verify(d, c.receiver(t)); err != nil || v.Message().From.Member != leadID {
		t.Fatalf("Verify: %+v, %v", v.Message(), err)
	}
}

// Whatever a delivery holds, Verify neither panics nor lets through what the
// two keys did not sign.
func FuzzVerify(f *testing.F) {
	c := newCrew(f)
	good := c.deliver(f, c.outgoing())
	f.Add(good.Message.Statement, good.Message.Signature, good.Body, good.SenderCertificate, good.Attestation.Statement, good.Attestation.Signature, false)
	f.Add(good.Message.Statement, good.Message.Signature, "", []byte{}, []byte{}, []byte{}, true)
	f.Add([]byte{}, []byte{}, "", good.SenderCertificate, good.Attestation.Statement, []byte{}, true)
	phone := c.message()
	phone.From = statement.From{Member: leadID, Device: "Pixel"}
	f.Add(sign(f, c.lead, phone).Statement, []byte{}, good.Body, c.lead.Certificate(), good.Attestation.Statement, []byte{}, true)
	receiver, sent := c.receiver(f), c.message()
	f.Fuzz(func(t *testing.T, message, signature []byte, body string, certificate, attestation, attested []byte, resign bool) {
		d := Delivery{
			Message: statement.Signed{Statement: message, Signature: signature}, Body: body, SenderCertificate: certificate,
			Attestation: statement.Signed{Statement: attestation, Signature: attested},
		}
		if resign { // get behind the signatures
			d.Message.Signature, d.Attestation.Signature = c.atlas.Sign(message), c.lead.Sign(attestation)
		}
		v, err := Verify(d, receiver)
		var check *CheckError
		if err != nil && !errors.As(err, &check) {
			t.Fatalf("refusal without a check: %v", err)
		}
		if err == nil && !resign && (v.Message() != sent || v.Body() != good.Body) {
			t.Fatalf("let through %+v %q", v.Message(), v.Body())
		}
		if err == nil && (v.message.To.Member != "boreas" || v.message.CrewID != c.id) {
			t.Fatalf("let through %+v for somebody else", v.Message())
		}
		if err == nil && v.message.From.Device != "" {
			t.Fatalf("let through the phone of one who is not the lead: %+v", v.Message())
		}
	})
}

func TestProofNamesTheCertificate(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	v, err := OpenEnvelope(c.seal(t, c.outgoing()), c.member(t), c.now)
	if err != nil || v.proof.Sender != identity.FingerprintOf(c.atlas.Certificate()) || v.proof.AttestedBy != "" {
		t.Fatalf("proof %+v, %v", v.proof, err)
	}
}
