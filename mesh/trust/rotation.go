package trust

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
)

// Named refusals of a rotation.
var (
	// ErrRotating says that the secret before is still being replaced.
	ErrRotating = errors.New("the last rotation is still being delivered: try again in a minute")
	// ErrOldSecret says that a secret was replaced by a newer one.
	ErrOldSecret = errors.New("that crew secret was replaced by a newer one")
)

// A Rotation is a lead's memory of the secret that it replaced: with it, and
// with nothing else, the members in Owed are told the new one. Nobody is let in
// by the old secret, from the first moment on.
type Rotation struct {
	Secret    []byte    `json:"secret"` // the one that was replaced
	Owed      []string  `json:"owed"`   // the ids of those who have yet to be told
	StartedAt time.Time `json:"startedAt"`
}

func (r *Rotation) owes(id string) bool { return r != nil && slices.Contains(r.Owed, id) }

// check refuses a rotation that cannot be one of a crew.
func (r *Rotation) check(c *Crew) error {
	switch {
	case c.Role != RoleLead:
		return errors.New("a member rotates no secret")
	case len(r.Secret) != secret.KeySize || bytes.Equal(r.Secret, c.Secret):
		return errors.New("the secret that a rotation replaced is none, or is the current one")
	case r.StartedAt.IsZero():
		return errors.New("a rotation that never began")
	}
	for i, id := range r.Owed {
		if c.indexOf(id) < 0 || slices.Contains(r.Owed[:i], id) {
			return fmt.Errorf("the new secret is owed to %q, which is no member or occurs twice", id)
		}
	}
	return nil
}

// Rotate replaces the secret of a crew. The members that hold the current one
// are owed the new one, until it is confirmed that they hold it, EndRotation
// says that each was tried, or RotateWithin has passed.
func Rotate(old *Crew, fresh []byte, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if old.Rotation != nil {
		return nil, ErrRotating
	}
	next := old.clone()
	next.Secret, next.SecretGeneration = fresh, old.SecretGeneration+1
	var owed []string
	for _, m := range old.Members {
		if m.State == StateEnrolled && m.SecretGeneration == old.SecretGeneration {
			owed = append(owed, m.ID)
		}
	}
	if len(owed) > 0 {
		next.Rotation = &Rotation{Secret: old.Secret, Owed: owed, StartedAt: toStored(now)}
	}
	return next, nil
}

// EndRotation forgets the secret before: each member that was owed the new one
// has been tried. Those that could not be told have to join again.
func EndRotation(old *Crew) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if old.Rotation == nil {
		return old, nil
	}
	next := old.clone()
	next.Rotation = nil
	return next, nil
}

// RetireDeputy issues a warrant that names nobody when the standing deputy has
// neither the current secret nor a claim to be told it: in a takeover no member
// would listen to it. It returns old itself when there is nothing to do.
func RetireDeputy(old *Crew, signer statement.Signer, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	deputy, some := old.Member(old.Deputy())
	if !some || deputy.SecretGeneration == old.SecretGeneration || old.Rotation.owes(deputy.ID) {
		return old, nil
	}
	return RevokeDeputy(old, signer, now)
}

// Deputy returns the id of the member that a lead's warrant names, or "".
func (c *Crew) Deputy() string {
	if c == nil {
		return ""
	}
	said, _ := c.Warrant.Said()
	return said.Deputy
}

// settled takes a member off the list of those who are owed the new secret. It
// changes c, which is nobody else's yet.
func (c *Crew) settled(id string) {
	if !c.Rotation.owes(id) {
		return
	}
	rest := *c.Rotation
	rest.Owed = slices.DeleteFunc(slices.Clone(rest.Owed), func(owed string) bool { return owed == id })
	c.Rotation = &rest
	if len(rest.Owed) == 0 {
		c.Rotation = nil
	}
}

// Owes says whether a peer has yet to be told the current secret.
func (c *Crew) Owes(fp identity.Fingerprint) bool {
	if c.Rotation == nil {
		return false
	}
	id, _ := c.Pin(fp)
	return c.Rotation.owes(id)
}

// SecretFor returns the secret under which a peer is called: the current one,
// or, for a member that is still owed it, the one before. Whoever calls this
// node has to hold the current one.
func (c *Crew) SecretFor(fp identity.Fingerprint) []byte {
	if c.Owes(fp) {
		return c.Rotation.Secret
	}
	return c.Secret
}

// TakeSecret replaces the secret that a member holds by the one that its lead
// told it. It returns old itself when the member holds that one.
func TakeSecret(old *Crew, fresh []byte, generation uint64) (*Crew, error) {
	switch {
	case old == nil:
		return nil, ErrSolo
	case old.Role != RoleMember:
		return nil, ErrNotMember
	case generation == old.SecretGeneration && bytes.Equal(fresh, old.Secret):
		return old, nil
	case generation <= old.SecretGeneration:
		return nil, ErrOldSecret
	}
	next := old.clone()
	next.Secret, next.SecretGeneration = fresh, generation
	return next, nil
}
