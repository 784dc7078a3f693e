package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
)

// MaxPEMSize bounds what Unmarshal looks at.
const MaxPEMSize = 4096

const (
	keyBlock         = "PRIVATE KEY" // PKCS #8, RFC 5958
	certificateBlock = "CERTIFICATE"
)

// Marshal writes the key and then the certificate as PEM (RFC 7468). The
// result is a secret.
func (id *Identity) Marshal() ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(id.key)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the private key: %w", err)
	}
	out := pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: key})
	return append(out, pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: id.certificate.DER})...), nil
}

// Unmarshal reads what Marshal wrote, byte for byte: other blocks, other
// spellings and text around them are refused, as is a certificate over another
// key. Refusals wrap ErrIdentity.
func Unmarshal(data []byte) (*Identity, error) {
	if len(data) > MaxPEMSize {
		return nil, fmt.Errorf("%w: %d bytes, the most is %d", ErrIdentity, len(data), MaxPEMSize)
	}
	keyPart, rest := pem.Decode(data)
	certificatePart, _ := pem.Decode(rest)
	if keyPart == nil || certificatePart == nil || keyPart.Type != keyBlock || certificatePart.Type != certificateBlock {
		return nil, fmt.Errorf("%w: want one %s block and one %s block", ErrIdentity, keyBlock, certificateBlock)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(keyPart.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: the private key: %w", ErrIdentity, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%w: the private key is not Ed25519", ErrIdentity)
	}
	certificate, err := ParseCertificate(certificatePart.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	if !certificate.PublicKey.Equal(key.Public()) {
		return nil, fmt.Errorf("%w: the certificate is over another key", ErrIdentity)
	}
	id := &Identity{key: key, certificate: certificate}
	if again, err := id.Marshal(); err != nil || !bytes.Equal(again, data) {
		return nil, fmt.Errorf("%w: there is more in it than the two blocks", ErrIdentity)
	}
	return id, nil
}
