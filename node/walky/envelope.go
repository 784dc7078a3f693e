package walky

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/node/trust"
)

// An Envelope is a message on its way from a member to its lead.
type Envelope struct {
	Message statement.Signed `json:"message"`
	Body    string           `json:"body"`
}

// A Delivery is a message on its way from the lead to the member it is for.
type Delivery struct {
	Message           statement.Signed `json:"message"`
	Body              string           `json:"body"`
	SenderCertificate []byte           `json:"senderCertificate"` // DER
	Attestation       statement.Signed `json:"attestation"`
}

// A Verified message passed OpenEnvelope or Verify; nothing else makes one that
// is accepted.
type Verified struct {
	message     statement.Message
	signed      statement.Signed
	body        string
	certificate *identity.Certificate
	proof       Proof
	age         time.Duration // of what the sender signed, by the lead's clock
	counted     bool          // against the cap of the sender's machine
}

// Message returns what the sender signed.
func (v Verified) Message() statement.Message { return v.message }

// Body returns the body as it was sent.
func (v Verified) Body() string { return v.body }

func (v Verified) length() int { return len(v.body) }

// newMessage is the message as this machine keeps it. The address that is on
// this machine has no machine in it.
func (v Verified) newMessage(d Direction, now time.Time) *message {
	to := Address{v.message.To.Member, v.message.To.Pane, v.message.To.Token}
	if d == In {
		to.Machine = ""
	}
	from := v.message.From
	return newMessage(v.message.ID, content{
		direction: d,
		door:      Sender{Device: from.Device}.door(),
		from:      Address{from.Member, from.Pane, from.Token},
		label:     trust.Clean(from.Label, statement.MaxLabel),
		to:        to,
		sentAt:    v.message.SentAt.UnixMilli(),
		replyTo:   v.message.ReplyTo,
		digest:    v.message.Digest,
		length:    len(v.body),
	}, now, Accepted, "")
}

// Seal signs a message of this machine, member self of a crew, with the crew
// key.
func Seal(signer statement.Signer, crew statement.CrewID, self string, out Outgoing) (Envelope, error) {
	signed, err := statement.Sign(signer, statement.Message{
		CrewID:  crew,
		ID:      out.ID,
		From:    statement.From{Member: self, Pane: out.From.Pane, Token: out.From.Token, Label: out.Label, Device: out.Device},
		To:      statement.To{Member: out.To.Machine, Pane: out.To.Pane, Token: out.To.Token},
		SentAt:  out.SentAt,
		ReplyTo: out.ReplyTo,
		Digest:  sha256.Sum256([]byte(out.Body)),
		Length:  uint64(len(out.Body)),
	})
	if err != nil {
		return Envelope{}, fmt.Errorf("cannot sign the message: %w", err)
	}
	return Envelope{Message: signed, Body: out.Body}, nil
}

// A Member is whom the lead has on the line, or the lead itself.
type Member struct {
	CrewID      statement.CrewID
	ID          string // member id, as the pin says
	Certificate *identity.Certificate
	Self        bool // the lead itself, which alone knows whose phones are paired
}

// OpenEnvelope verifies a message that the lead got from a member: signature
// under the pinned key, crew, sender, that it claims no phone, digest, time.
// Every failure is a *CheckError.
func OpenEnvelope(e Envelope, from Member, now time.Time) (Verified, error) {
	c := checker{}
	message, err := statement.OpenMessage(e.Message, from.Certificate.PublicKey)
	c.statement(CheckMessageSignature, err)
	c.id = message.ID
	c.want(CheckCrew, message.CrewID == from.CrewID, "message is of another crew")
	c.want(CheckSender, message.From.Member == from.ID, "message is not from the member that sent it")
	c.device(message, from.Self)
	c.message(message, e.Body)
	c.near(message.SentAt, now, "message")
	if c.err != nil {
		return Verified{}, c.err
	}
	return Verified{
		message: message, signed: e.Message, body: e.Body, certificate: from.Certificate, age: now.Sub(message.SentAt),
		proof: Proof{
			Checks: passed(message, CheckMessageSignature, CheckCrew, CheckSender, CheckDigest, CheckTime),
			Sender: from.Certificate.Fingerprint,
		},
	}, nil
}

// ErrHop refuses to attest what another lead attested: a message makes one hop.
var ErrHop = errors.New("message was attested before and goes no further")

// Attest adds the lead's word for the sender of a message that OpenEnvelope let
// through. at is the lead's clock.
func Attest(lead statement.Signer, generation uint64, at time.Time, v Verified) (Delivery, error) {
	if v.proof.AttestedBy != "" {
		return Delivery{}, ErrHop
	}
	signed, err := statement.Sign(lead, statement.Attestation{
		CrewID:            v.message.CrewID,
		Generation:        generation,
		MessageID:         v.message.ID,
		MessageDigest:     statement.MessageDigest(v.signed),
		Sender:            v.message.From.Member,
		SenderFingerprint: v.certificate.Fingerprint,
		Receiver:          v.message.To.Member,
		At:                at,
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("cannot attest the message: %w", err)
	}
	return Delivery{
		Message: v.signed, Body: v.body, SenderCertificate: bytes.Clone(v.certificate.DER), Attestation: signed,
	}, nil
}
