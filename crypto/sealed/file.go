package sealed

import (
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
)

// Named refusals of what a person seals a file with.
var (
	// ErrPassphrase says that a passphrase is none.
	ErrPassphrase = errors.New("the passphrase is empty")
	// ErrIdentities is wrapped by every refusal of a file of age identities.
	ErrIdentities = errors.New("not a file of age identities (AGE-SECRET-KEY-1…)")
)

// A Lock closes a file for whoever a person chose: recipients, or who knows a
// passphrase.
type Lock struct{ to []age.Recipient }

// LockFor reads recipients, one a line, as age does.
func LockFor(recipients string) (Lock, error) {
	to, err := age.ParseRecipients(strings.NewReader(recipients))
	if err != nil {
		return Lock{}, fmt.Errorf("%w: %w", ErrRecipient, err)
	}
	return Lock{to}, nil
}

// LockBy closes with a passphrase, which age stretches.
func LockBy(passphrase string) (Lock, error) {
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return Lock{}, ErrPassphrase
	}
	return Lock{[]age.Recipient{to}}, nil
}

// Seal closes a content.
func (l Lock) Seal(content []byte) ([]byte, error) { return seal(content, l.to...) }

// An Unlock opens what a Lock closed.
type Unlock struct{ by []age.Identity }

// UnlockWith reads age identities, one a line. Its errors quote none of them.
func UnlockWith(identities string) (Unlock, error) {
	by, err := age.ParseIdentities(strings.NewReader(identities))
	if err != nil {
		return Unlock{}, ErrIdentities
	}
	return Unlock{by}, nil
}

// UnlockBy opens with a passphrase.
func UnlockBy(passphrase string) (Unlock, error) {
	by, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return Unlock{}, ErrPassphrase
	}
	return Unlock{[]age.Identity{by}}, nil
}

// Open returns the content, of at most limit bytes. It refuses with ErrSealed or
// ErrTooLarge.
func (u Unlock) Open(data []byte, limit int) ([]byte, error) { return open(data, limit, u.by...) }
