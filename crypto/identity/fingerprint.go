package identity

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// FingerprintSize is the length of a fingerprint in bytes.
const FingerprintSize = sha256.Size

// Layout of the printed forms.
const (
	groupLen    = 4 // characters in a group
	shortGroups = 8 // groups in the short form: 160 of the 256 bits
	hexLen      = 2 * FingerprintSize
	groupedLen  = hexLen + hexLen/groupLen - 1
)

// ErrFingerprint is wrapped by every refusal of a printed fingerprint.
var ErrFingerprint = errors.New("not a fingerprint")

// A Fingerprint is the SHA-256 of a certificate's DER bytes. It names a node:
// a pin is a fingerprint, and nothing else about a certificate is believed.
// The zero value names nobody.
type Fingerprint [FingerprintSize]byte

// FingerprintOf returns the fingerprint of a certificate in DER.
func FingerprintOf(der []byte) Fingerprint { return sha256.Sum256(der) }

// String returns all of it in lower-case hex, 64 characters.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// Groups returns all of it in hex, in groups of four divided by spaces, as a
// person reads it.
func (f Fingerprint) Groups() string { return group(f.String(), " ") }

// Short returns the first 160 bits in base32 (RFC 4648), eight groups of four
// divided by dashes, for two people who read it to each other. It is for the
// eye alone and cannot be parsed: comparisons use the whole.
func (f Fingerprint) Short() string {
	text := base32.StdEncoding.EncodeToString(f[:])
	return group(text[:shortGroups*groupLen], "-")
}

// group divides text into groups of groupLen.
func group(text, divider string) string {
	var b strings.Builder
	for i := 0; i < len(text); i += groupLen {
		if i > 0 {
			b.WriteString(divider)
		}
		b.WriteString(text[i:min(i+groupLen, len(text))])
	}
	return b.String()
}

// Equal compares in constant time.
func (f Fingerprint) Equal(other Fingerprint) bool {
	return subtle.ConstantTimeCompare(f[:], other[:]) == 1
}

// ParseFingerprint reads the forms of String and Groups, the letters in either
// case. It refuses everything else with ErrFingerprint.
func ParseFingerprint(text string) (Fingerprint, error) {
	plain := text
	if len(text) == groupedLen {
		plain = strings.ReplaceAll(text, " ", "")
	}
	if len(plain) != hexLen || plain != text && group(plain, " ") != text {
		return Fingerprint{}, fmt.Errorf("%w: want %d hexadecimal digits, or the same in groups of %d", ErrFingerprint, hexLen, groupLen)
	}
	var f Fingerprint
	if _, err := hex.Decode(f[:], []byte(plain)); err != nil {
		return Fingerprint{}, fmt.Errorf("%w: it is not hexadecimal", ErrFingerprint)
	}
	return f, nil
}

// MarshalText writes the form of String.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads the form of String alone, lower case, so that a stored
// fingerprint has one spelling.
func (f *Fingerprint) UnmarshalText(text []byte) error {
	parsed, err := ParseFingerprint(string(text))
	if err != nil {
		return err
	}
	if parsed.String() != string(text) {
		return fmt.Errorf("%w: it is not %d lower-case hexadecimal digits", ErrFingerprint, hexLen)
	}
	*f = parsed
	return nil
}

// LogValue writes the short form.
func (f Fingerprint) LogValue() slog.Value { return slog.StringValue(f.Short()) }
