// Package sealed closes bytes so that one receiver alone can open them, in the
// format of age (age-encryption.org/v1) with X25519 keys. What is sealed here
// can be opened with the age program, and the other way round.
//
// A seal hides and protects the content; it does not say who closed it, because
// anybody may seal to a recipient. Whoever needs to know that signs what is
// inside. Randomness is the operating system's: age takes no other.
package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"filippo.io/age"
)

// Bounds, in bytes.
const (
	// MaxRecipient bounds the text of a recipient; ours have 62 characters.
	MaxRecipient = 128
	// MaxKeyText bounds the text of a key; ours have 74 characters and a line end.
	MaxKeyText = 128
	// overhead is the most that sealing for one recipient adds to a content:
	// 200 for the header, 16 for the nonce, 16 for every 64 KiB.
	overhead  = 1024
	chunkSize = 64 << 10
	chunkTag  = 16
)

// Named refusals.
var (
	// ErrRecipient is wrapped by every refusal of a recipient's text.
	ErrRecipient = errors.New("not a recipient of sealed files")
	// ErrKey is wrapped by every refusal of a stored key.
	ErrKey = errors.New("not a key of sealed files")
	// ErrSealed says that bytes are not a sealed content, were changed, or are
	// sealed for somebody else.
	ErrSealed = errors.New("it cannot be opened with this key")
	// ErrTooLarge says that a content has more bytes than its reader allows.
	ErrTooLarge = errors.New("the sealed content is too large")
)

// A Key opens what was sealed to its recipient. It is immutable and safe for
// concurrent use.
type Key struct{ identity *age.X25519Identity }

// NewKey draws a key.
func NewKey() (Key, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return Key{}, fmt.Errorf("cannot draw a key: %w", err)
	}
	return Key{identity}, nil
}

// Recipient returns the public half, "age1…", which is no secret.
func (k Key) Recipient() string { return k.identity.Recipient().String() }

// Marshal returns the key as one line of text, a secret.
func (k Key) Marshal() []byte { return []byte(k.identity.String() + "\n") }

// UnmarshalKey reads what Marshal wrote, byte for byte.
func UnmarshalKey(data []byte) (Key, error) {
	if len(data) > MaxKeyText {
		return Key{}, fmt.Errorf("%w: %d bytes, the most is %d", ErrKey, len(data), MaxKeyText)
	}
	identity, err := age.ParseX25519Identity(strings.TrimSuffix(string(data), "\n"))
	if err != nil {
		return Key{}, ErrKey // age's own words would quote it
	}
	key := Key{identity}
	if !bytes.Equal(key.Marshal(), data) {
		return Key{}, fmt.Errorf("%w: there is more in it than the one line", ErrKey)
	}
	return key, nil
}

// LogValue writes the recipient, never the key.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.Recipient()) }

// Format writes the recipient, whatever the verb: no formatting shows the key.
func (k Key) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, k.Recipient()) }

// CheckRecipient refuses with ErrRecipient what Seal cannot seal to.
func CheckRecipient(text string) error {
	_, err := parseRecipient(text)
	return err
}

func parseRecipient(text string) (*age.X25519Recipient, error) {
	if len(text) > MaxRecipient {
		return nil, fmt.Errorf("%w: %d bytes, the most is %d", ErrRecipient, len(text), MaxRecipient)
	}
	recipient, err := age.ParseX25519Recipient(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecipient, err)
	}
	if recipient.String() != text {
		return nil, fmt.Errorf("%w: it is not spelled in lower case", ErrRecipient)
	}
	return recipient, nil
}

// Seal closes a content for one recipient.
func Seal(recipient string, content []byte) ([]byte, error) {
	to, err := parseRecipient(recipient)
	if err != nil {
		return nil, err
	}
	return seal(content, to)
}

func seal(content []byte, to ...age.Recipient) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to...)
	if err != nil {
		return nil, fmt.Errorf("cannot seal: %w", err)
	}
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("cannot seal: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("cannot seal: %w", err)
	}
	return out.Bytes(), nil
}

// Size returns the most bytes that a sealed content of that many bytes has.
func Size(content int) int { return content + overhead + (content/chunkSize+1)*chunkTag }

// Open returns the content, of at most limit bytes, once all of it is known to
// be as it was sealed. It refuses with ErrSealed or ErrTooLarge.
func Open(key Key, data []byte, limit int) ([]byte, error) {
	if len(data) > Size(limit) {
		return nil, fmt.Errorf("%w: the most is %d bytes", ErrTooLarge, limit)
	}
	return open(data, limit, key.identity)
}

func open(data []byte, limit int, keys ...age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(data), keys...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	content, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	if len(content) > limit {
		return nil, fmt.Errorf("%w: the most is %d bytes", ErrTooLarge, limit)
	}
	return content, nil
}
