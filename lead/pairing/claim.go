package pairing

import (
	"context"
	"slices"
	"time"

	"collie/crypto/secret"
	"collie/node/trust"
)

// A Code is a pairing code to show to a person.
type Code struct {
	Code      string
	ExpiresAt time.Time
}

// code is a live pairing code.
type code struct {
	digest    secret.Digest
	expiresAt time.Time
	lifetime  time.Duration // of the device; 0: for ever
	from      string
	wrong     int // guesses since it was drawn
}

// codes are the live ones, oldest first.
type codes []code

// NewCode draws a pairing code that may be claimed once within CodeLifetime.
// The device that claims it stays paired for lifetime, counted from the claim;
// 0 is until it is revoked. From says in the audit log where the code was asked
// for. The oldest of MaxLiveCodes codes makes room.
func (s *Store) NewCode(lifetime time.Duration, from string) (Code, error) {
	if lifetime < 0 || lifetime > MaxLifetime {
		return Code{}, ErrLifetime
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.refresh(); err != nil {
		return Code{}, s.unavailable(err) // it could not be claimed
	}
	if err := s.audit(Entry{Action: "pair.code", Via: from}, "ok"); err != nil {
		return Code{}, err
	}
	now := s.Now()
	s.codes.expire(now)
	if len(s.codes) == MaxLiveCodes {
		s.codes = slices.Delete(s.codes, 0, 1)
	}
	text := secret.NewCode(s.Rand)
	expiresAt := stamp(now.Add(CodeLifetime))
	s.codes = append(s.codes, code{digest: secret.Hash(text), expiresAt: expiresAt, lifetime: lifetime, from: from})
	return Code{Code: text, ExpiresAt: expiresAt}, nil
}

// Claim enrols a device with a typed or pasted code and returns its token, for
// the only time. Source is the address that the claim came from.
//
// A wrong code counts against every live code. A label that is refused spends
// no code, and only who has the right code learns that it is in use; that of
// an expired device is taken over, which revokes its old token.
func (s *Store) Claim(ctx context.Context, source, typed, label string) (token string, device Device, err error) {
	if !s.tries.Allow(source, s.Now()) {
		return "", Device{}, ErrRateLimited
	}
	text := secret.NormalizeCode(typed)
	if text == "" {
		return "", Device{}, ErrCodeInvalid
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return "", Device{}, err // nobody would get the token
	}
	now := s.Now()
	s.codes.expire(now)
	claimed := s.codes.find(text)
	if claimed < 0 {
		if killed := s.codes.guessed(); killed > 0 {
			s.Log.Warn("wrong guesses ended a pairing code", "source", source, "codes", killed)
		}
		return "", Device{}, ErrCodeRefused
	}
	if label, err = trust.Label(label); err != nil {
		return "", Device{}, ErrLabelInvalid.With(err.Error())
	}
	records, err := s.records()
	if err != nil {
		return "", Device{}, err
	}
	c := s.codes[claimed]
	var entries []Entry
	if i := slices.IndexFunc(records, func(r record) bool { return r.Label == label }); i >= 0 {
		if !records[i].expired(now) {
			return "", Device{}, ErrLabelInUse
		}
		records = slices.Delete(records, i, i+1)
		entries = append(entries, Entry{Action: "device.revoke", Via: c.from, What: label})
	}
	if len(records) == MaxDevices {
		return "", Device{}, ErrTooManyDevices
	}
	entries = append(entries, Entry{Action: "device.pair", Via: c.from, What: label})
	token = secret.NewToken(s.Rand)
	added := record{Label: label, Token: secret.Hash(token), CreatedAt: stamp(now)}
	if c.lifetime > 0 {
		added.ExpiresAt = stamp(now.Add(c.lifetime))
	}
	if err := s.commit(append(records, added), entries...); err != nil {
		return "", Device{}, err
	}
	s.codes = slices.Delete(s.codes, claimed, claimed+1)
	device, err = s.Authenticate(token)
	return token, device, err
}

// expire drops the codes whose time is over.
func (c *codes) expire(now time.Time) {
	*c = slices.DeleteFunc(*c, func(c code) bool { return !now.Before(c.expiresAt) })
}

// find returns the place of a code, or -1, in time that does not depend on it.
func (c codes) find(text string) int {
	digest, found := secret.Hash(text), -1
	for i := range c {
		if c[i].digest.Equal(digest) {
			found = i
		}
	}
	return found
}

// guessed counts a wrong guess and says how many codes died of it.
func (c *codes) guessed() int {
	before := len(*c)
	for i := range *c {
		(*c)[i].wrong++
	}
	*c = slices.DeleteFunc(*c, func(c code) bool { return c.wrong >= MaxWrongCodes })
	return before - len(*c)
}
