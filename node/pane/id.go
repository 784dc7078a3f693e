package pane

import (
	"errors"
	"fmt"
	"io"

	"collie/crypto/statement"
)

// ErrID refuses a text that no pane can have as its id.
var ErrID = errors.New("pane id is not valid")

// An ID names a pane on its machine. It is opaque to everybody but the
// multiplexer that gave it.
type ID string

// ParseID checks an id that came in from anywhere. What passes can be signed as
// part of an address, and is a safe file name, too.
func ParseID(text string) (ID, error) {
	if !statement.ValidPane(text) {
		return "", fmt.Errorf("%q: %w", text, ErrID)
	}
	return ID(text), nil
}

// idLetters are 32 that are hard to mistake for each other.
const idLetters = "0123456789abcdefghjkmnpqrstvwxyz"

// newID draws an id of 40 random bits. It starts with a letter, so nobody
// takes it for a number or an option.
func newID(random io.Reader) (ID, error) {
	var drawn [8]byte
	if _, err := io.ReadFull(random, drawn[:]); err != nil {
		return "", fmt.Errorf("draw a pane id: %w", err)
	}
	id := []byte{'p'}
	for _, b := range drawn {
		id = append(id, idLetters[b%32])
	}
	return ID(id), nil
}
