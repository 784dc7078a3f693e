// Package secret draws what must not be guessed and compares it without
// telling how close a guess came: tokens of 256 bits that are shown once and
// stored as their hash, keys of 256 bits, and pairing codes that a person types.
//
// Randomness is handed in. A reader that fails ends the program by a panic, as
// crypto/rand itself does: no secret is ever drawn from less than was asked for.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

const (
	// KeySize is the length of keys, and of the random part of tokens, in bytes.
	KeySize = 32
	// TokenLen is the length of a token in characters.
	TokenLen = 43
)

// ErrDigest is wrapped by every refusal of a stored digest.
var ErrDigest = errors.New("not a digest")

// NewKey draws 256 bits for use as a symmetric key.
func NewKey(random io.Reader) []byte { return draw(random, KeySize) }

// NewToken draws a token of 256 bits in base64url without padding (RFC 4648,
// section 5). One that begins with "-" is drawn again: a person hands tokens to
// commands, which would take it for an option. That costs 0.02 of the bits.
func NewToken(random io.Reader) string {
	for {
		if token := base64.RawURLEncoding.EncodeToString(draw(random, KeySize)); token[0] != '-' {
			return token
		}
	}
}

func draw(random io.Reader, size int) []byte {
	drawn := make([]byte, size)
	if _, err := io.ReadFull(random, drawn); err != nil {
		panic(fmt.Sprintf("secret: the source of randomness failed: %v", err))
	}
	return drawn
}

// A Digest is the SHA-256 of a token or code: the form that is stored. Tokens
// hold 256 bits, so that no salt or slow hash is called for; a code holds 37
// and must expire within minutes and after few attempts.
type Digest [sha256.Size]byte

// Hash returns the digest of a token or code.
func Hash(text string) Digest { return sha256.Sum256([]byte(text)) }

// Matches says whether d is the digest of text, in time that does not depend
// on where they differ.
func (d Digest) Matches(text string) bool { return d.Equal(Hash(text)) }

// Equal compares in constant time.
func (d Digest) Equal(other Digest) bool { return subtle.ConstantTimeCompare(d[:], other[:]) == 1 }

// String returns lower-case hex, 64 characters.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the form of String.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the form of String alone.
func (d *Digest) UnmarshalText(text []byte) error {
	parsed, err := hex.DecodeString(string(text))
	if err != nil || len(parsed) != len(d) || hex.EncodeToString(parsed) != string(text) {
		return fmt.Errorf("%w: want %d lower-case hexadecimal digits", ErrDigest, 2*len(d))
	}
	copy(d[:], parsed)
	return nil
}

// LogValue keeps digests out of logs: the digest of a code can be reversed.
func (d Digest) LogValue() slog.Value { return slog.StringValue("set") }
