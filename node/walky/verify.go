package walky

import (
	"crypto/sha256"
	"errors"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// A Receiver is what a member knows for sure when a delivery comes in.
type Receiver struct {
	CrewID     statement.CrewID
	Generation uint64 // of the lead, as this member knows it
	MemberID   string // this member's
	Lead       string // member id of the pinned lead
	LeadCert   *identity.Certificate
	LeadNow    time.Time // the lead's clock, by its beats
}

// Verify makes every check of a message that the lead delivered, but for that
// of a replay, which Accept makes. Each failure is a *CheckError that names the
// check; nothing of the delivery is believed before both signatures are.
func Verify(d Delivery, r Receiver) (Verified, error) {
	c := checker{}
	attestation, err := statement.OpenAttestation(d.Attestation, r.LeadCert.PublicKey)
	c.statement(CheckAttestationSignature, err)
	c.id = attestation.MessageID
	c.want(CheckCrew, attestation.CrewID == r.CrewID, "attestation is of another crew")
	c.want(CheckGeneration, attestation.Generation >= r.Generation, "attestation is of a lead that was replaced")
	c.want(CheckReceiver, attestation.Receiver == r.MemberID, "attestation names another receiver")
	c.want(CheckMessage, attestation.MessageDigest == statement.MessageDigest(d.Message), "attestation is of another message")
	c.want(CheckCertificate, attestation.SenderFingerprint.Equal(identity.FingerprintOf(d.SenderCertificate)),
		"certificate is not the one that the attestation names")
	if c.err != nil {
		return Verified{}, c.err
	}
	certificate, err := identity.ParseCertificate(d.SenderCertificate)
	if err != nil {
		return Verified{}, c.fail(CheckCertificate, err)
	}
	message, err := statement.OpenMessage(d.Message, certificate.PublicKey)
	c.statement(CheckMessageSignature, err)
	c.want(CheckMessage, message.ID == attestation.MessageID, "attestation names another message")
	c.want(CheckCrew, message.CrewID == r.CrewID, "message is of another crew")
	c.want(CheckSender, message.From.Member == attestation.Sender, "message is not from the member that the attestation names")
	c.want(CheckReceiver, message.To.Member == r.MemberID, "message names another receiver")
	c.device(message, message.From.Member == r.Lead && certificate.Fingerprint.Equal(r.LeadCert.Fingerprint))
	c.message(message, d.Body)
	c.near(attestation.At, r.LeadNow, "attestation")
	if c.err != nil {
		return Verified{}, c.err
	}
	return Verified{
		message: message, signed: d.Message, body: d.Body, certificate: certificate, age: r.LeadNow.Sub(message.SentAt),
		proof: Proof{
			Checks: passed(message,
				CheckAttestationSignature, CheckCrew, CheckGeneration, CheckReceiver, CheckMessage, CheckCertificate,
				CheckMessageSignature, CheckSender, CheckDigest, CheckTime),
			AttestedBy: r.Lead, Generation: attestation.Generation, Sender: certificate.Fingerprint,
		},
	}, nil
}

// A checker keeps the first check that failed; those after it are not made.
type checker struct {
	id  string
	err error
}

func (c *checker) fail(check string, err error) error {
	if c.err == nil {
		c.err = &CheckError{Check: check, ID: c.id, Err: err}
	}
	return c.err
}

func (c *checker) want(check string, ok bool, otherwise string) {
	if !ok {
		_ = c.fail(check, errors.New(otherwise))
	}
}

// statement tells a signature that does not hold from a statement that is
// signed and yet not of the right form.
func (c *checker) statement(check string, err error) {
	switch {
	case err == nil:
	case errors.Is(err, statement.ErrSignature):
		_ = c.fail(check, err)
	default:
		_ = c.fail(CheckForm, err)
	}
}

// device checks who says that a message was written on a paired phone: the lead
// alone can, of what it signs itself, because the phones are paired with it. A
// member's word for one is nobody's, also when the lead passes it on.
func (c *checker) device(m statement.Message, byTheLead bool) {
	if m.From.Device == "" {
		return
	}
	c.want(CheckDevice, byTheLead, "message claims a phone and is not the lead's own")
	c.want(CheckDevice, m.From.Pane == "", "message claims a phone and a pane")
	c.want(CheckDevice, validDevice(m.From.Device), "message claims a phone with a label that none can have")
}

// passed lists the checks that a message passed, that of its device where it has
// one.
func passed(m statement.Message, checks ...string) []string {
	if m.From.Device == "" {
		return checks
	}
	return append(checks, CheckDevice)
}

// message checks the addresses, which are of narrower alphabets here, and the
// body against the digest.
func (c *checker) message(m statement.Message, body string) {
	from := Address{m.From.Member, m.From.Pane, m.From.Token}
	to := Address{m.To.Member, m.To.Pane, m.To.Token}
	c.want(CheckForm, from.isSender() && to.isReceiver(m.ReplyTo) && isID(m.ID), "message has an address of another form")
	c.want(CheckDigest, uint64(len(body)) == m.Length, "body has another length")
	c.want(CheckDigest, sha256.Sum256([]byte(body)) == m.Digest, "body has another digest")
}

func (c *checker) near(at, now time.Time, what string) {
	c.want(CheckTime, at.Sub(now).Abs() <= MaxClockDifference, what+" is not of this time")
}
