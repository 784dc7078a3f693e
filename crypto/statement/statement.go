// Package statement is everything that a node signs, as one canonical byte
// string per kind: a domain tag, then the kind's fields in a fixed order, each
// behind its length in 16 bits.
//
// The tag differs from kind to kind, so that no statement can be read as
// another. There is one encoding of a statement and no other: every field has
// a bound and an alphabet, and bytes after the last one are refused. A statement
// names its audience, the crew and where there is one the receiver, and its
// time. A signature covers the bytes as they were sent; whoever receives them
// verifies those very bytes before it decodes them.
package statement

import (
	"crypto/ed25519"
	"errors"
)

// ErrSignature says that a statement was not signed by the expected key.
var ErrSignature = errors.New("signature does not match the statement and the key")

// A Signer signs bytes with an Ed25519 key.
type Signer interface {
	Sign(message []byte) []byte
}

// Signed is a statement's canonical bytes and the signature over them.
type Signed struct {
	Statement []byte `json:"statement"`
	Signature []byte `json:"signature"`
}

// A Kind is one kind of statement: Message, Attestation, Warrant, Handover,
// Takeover or Bundle.
type Kind interface {
	// canonical returns a kind that can be written.
	canonical() kind
}

// kind is a pointer to a Kind, whose fields can be gone through.
type kind interface {
	domain() string
	fields(*codec)
}

// Sign returns the statement with its signature. A field outside of its bounds
// is refused with ErrStatement, so nothing is signed that could not be read.
func Sign(signer Signer, k Kind) (Signed, error) {
	statement, err := encode(k.canonical())
	if err != nil {
		return Signed{}, err
	}
	return Signed{Statement: statement, Signature: signer.Sign(statement)}, nil
}

// open verifies the bytes as they came and then decodes them into k.
func open(s Signed, key ed25519.PublicKey, k kind) error {
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, s.Statement, s.Signature) {
		return ErrSignature
	}
	return decode(s.Statement, k)
}
