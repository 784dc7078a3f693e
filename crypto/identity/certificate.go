package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"time"
)

const (
	// Subject is the common name of every certificate. It is one constant
	// because any stranger's handshake gets to see it.
	Subject = "collie node"
	// MaxCertificateSize bounds the DER that ParseCertificate looks at; ours
	// are about 330 bytes.
	MaxCertificateSize = 1024
	// validYears is how long a certificate claims to be valid. Nothing depends
	// on it: the pin is the boundary of trust, not the date.
	validYears = 10
	serialSize = 16
)

// ErrCertificate is wrapped by every refusal of a certificate.
var ErrCertificate = errors.New("not a node's certificate")

// A Certificate is one node's public half.
type Certificate struct {
	// Fingerprint is the SHA-256 of DER.
	Fingerprint Fingerprint
	// PublicKey verifies what the node signed.
	PublicKey ed25519.PublicKey
	// DER is the certificate as it goes over the wire. Do not change it.
	DER []byte
}

// ParseCertificate reads a certificate as Generate makes them: over an Ed25519
// key, signed by that key, with the one subject, and no bytes after it. Its dates are not looked at. Refusals wrap ErrCertificate.
func ParseCertificate(der []byte) (*Certificate, error) {
	if len(der) > MaxCertificateSize {
		return nil, fmt.Errorf("%w: %d bytes, the most is %d", ErrCertificate, len(der), MaxCertificateSize)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	key, ok := parsed.PublicKey.(ed25519.PublicKey)
	if !ok || parsed.SignatureAlgorithm != x509.PureEd25519 {
		return nil, fmt.Errorf("%w: the key is %s, want Ed25519", ErrCertificate, parsed.PublicKeyAlgorithm)
	}
	if parsed.Subject.String() != "CN="+Subject || !bytes.Equal(parsed.RawSubject, parsed.RawIssuer) {
		return nil, fmt.Errorf("%w: the subject is not %q", ErrCertificate, Subject)
	}
	if err := parsed.CheckSignature(parsed.SignatureAlgorithm, parsed.RawTBSCertificate, parsed.Signature); err != nil {
		return nil, fmt.Errorf("%w: it is not signed by its own key: %w", ErrCertificate, err)
	}
	der = bytes.Clone(der)
	return &Certificate{Fingerprint: FingerprintOf(der), PublicKey: key, DER: der}, nil
}

// selfSign makes the certificate over key.
func selfSign(random io.Reader, now time.Time, key ed25519.PrivateKey) (*Certificate, error) {
	serial := make([]byte, serialSize)
	if _, err := io.ReadFull(random, serial); err != nil {
		return nil, fmt.Errorf("cannot draw a serial number: %w", err)
	}
	serial[0] = serial[0]&0x7f | 0x40 // positive, and always of one length
	start := now.UTC().Truncate(time.Second)
	der, err := x509.CreateCertificate(random, &x509.Certificate{
		SerialNumber:          new(big.Int).SetBytes(serial),
		Subject:               pkix.Name{CommonName: Subject},
		NotBefore:             start,
		NotAfter:              start.AddDate(validYears, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}, &x509.Certificate{Subject: pkix.Name{CommonName: Subject}}, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cannot sign the certificate: %w", err)
	}
	return ParseCertificate(der)
}
