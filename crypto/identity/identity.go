// Package identity is who a node is: one Ed25519 key, one self-signed
// certificate over it, and the certificate's fingerprint, which is the only
// name of a node that others believe.
//
// An identity is drawn whole and never changed. It belongs to one crew:
// whoever leaves a crew discards it and draws another one for the next. The
// private key leaves this package only inside a tls.Certificate and in the
// bytes of Marshal, which are meant for one file that its owner alone reads.
package identity

import (
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// ErrIdentity is wrapped by every refusal of a stored identity.
var ErrIdentity = errors.New("not a stored identity")

// An Identity is one node's key and certificate. It is immutable and safe for
// concurrent use.
type Identity struct {
	key         ed25519.PrivateKey
	certificate *Certificate
}

// Generate draws an identity. The same bytes from random and the same second
// give the same identity. The certificate is valid from now for ten years,
// though nothing in Collie looks at its dates.
func Generate(random io.Reader, now time.Time) (*Identity, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("cannot draw a key: %w", err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	certificate, err := selfSign(random, now, key)
	if err != nil {
		return nil, err
	}
	return &Identity{key: key, certificate: certificate}, nil
}

// Fingerprint names the node.
func (id *Identity) Fingerprint() Fingerprint { return id.certificate.Fingerprint }

// Certificate returns the DER bytes of the certificate. Do not change them.
func (id *Identity) Certificate() []byte { return id.certificate.DER }

// PublicKey verifies what Sign signs.
func (id *Identity) PublicKey() ed25519.PublicKey { return id.certificate.PublicKey }

// TLSCertificate returns what a handshake presents.
func (id *Identity) TLSCertificate() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{id.certificate.DER}, PrivateKey: id.key}
}

// Sign returns the Ed25519 signature (RFC 8032) over message.
func (id *Identity) Sign(message []byte) []byte { return ed25519.Sign(id.key, message) }

// LogValue writes the fingerprint, never the key.
func (id *Identity) LogValue() slog.Value { return id.Fingerprint().LogValue() }

// Format writes the fingerprint, whatever the verb: no formatting shows the key.
func (id *Identity) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, id.Fingerprint().Short())
}
