package statement

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// ErrCrewID is wrapped by every refusal of a printed crew id.
var ErrCrewID = errors.New("not a crew id")

// A CrewID names a crew: 128 random bits. It is the audience of every
// statement, and no secret. The zero value names no crew.
type CrewID [16]byte

// NewCrewID draws a crew id.
func NewCrewID(random io.Reader) (CrewID, error) {
	var id CrewID
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return CrewID{}, fmt.Errorf("cannot draw a crew id: %w", err)
	}
	return id, nil
}

// IsZero says that id names no crew.
func (id CrewID) IsZero() bool { return id == CrewID{} }

// String returns lower-case hex, 32 characters.
func (id CrewID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText writes the form of String.
func (id CrewID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the form of String alone.
func (id *CrewID) UnmarshalText(text []byte) error {
	parsed, err := hex.DecodeString(string(text))
	if err != nil || len(parsed) != len(id) || hex.EncodeToString(parsed) != string(text) {
		return fmt.Errorf("%w: want %d lower-case hexadecimal digits", ErrCrewID, 2*len(id))
	}
	copy(id[:], parsed)
	return nil
}
