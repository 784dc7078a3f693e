package statement

import (
	"crypto/ed25519"
	"crypto/sha256"
	"time"

	"collie/crypto/identity"
)

// AttestationDomain is the tag of Attestation.
const AttestationDomain = "collie walky attestation v1"

// An Attestation is a lead's word that it took one message from one member and
// passes it to another: the message's bytes, the sender's certificate, the one
// receiver.
type Attestation struct {
	CrewID            CrewID
	Generation        uint64 // of the lead
	MessageID         string
	MessageDigest     [32]byte // MessageDigest of the message's Signed
	Sender            string   // member id
	SenderFingerprint identity.Fingerprint
	Receiver          string    // member id
	At                time.Time // UTC, to the millisecond, by the lead's clock
}

// MessageDigest returns the digest by which an attestation names a message: the
// SHA-256 of the statement's bytes.
func MessageDigest(s Signed) [32]byte { return sha256.Sum256(s.Statement) }

// OpenAttestation verifies the exact bytes of s under key and decodes them. It
// refuses with ErrSignature or ErrStatement.
func OpenAttestation(s Signed, key ed25519.PublicKey) (Attestation, error) {
	var a Attestation
	if err := open(s, key, &a); err != nil {
		return Attestation{}, err
	}
	return a, nil
}

func (a Attestation) canonical() kind { return &a }

func (a *Attestation) domain() string { return AttestationDomain }

func (a *Attestation) fields(c *codec) {
	c.raw("crew id", a.CrewID[:])
	c.number("generation", &a.Generation, maxGeneration)
	c.name("message id", &a.MessageID, messageID, MessageIDLen)
	c.raw("message digest", a.MessageDigest[:])
	c.name("sender", &a.Sender, memberID, 1)
	c.raw("sender's fingerprint", a.SenderFingerprint[:])
	c.name("receiver", &a.Receiver, memberID, 1)
	c.instant("time", &a.At)
}
