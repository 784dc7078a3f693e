package mesh

import (
	"context"
	"errors"

	"collie/crypto/identity"
)

// Ask says hello to a peer, over the link that is up or one that it dials, and
// returns nil once it was answered. See Answered.
func (e *Endpoint) Ask(ctx context.Context, fp identity.Fingerprint, addresses []string) error {
	l := e.registry.inUse(fp)
	if l == nil {
		return e.Dial(ctx, fp, addresses)
	}
	within := beatTimeout
	_, err := e.sayHello(l, within)
	return err
}

// Answered says whether the outcome of Ask or of a call, nil included, shows
// that the peer itself is there: it answered, be it with a refusal.
func Answered(err error) bool {
	if err == nil {
		return true
	}
	var mismatch *MismatchError
	var conflict *ConflictError
	if errors.As(err, &mismatch) || errors.As(err, &conflict) {
		return true
	}
	for _, word := range [...]error{ErrUnenrolled, ErrNotPinned, ErrNoProtocol, ErrBusy, ErrTurnedAway, ErrRevoked, ErrDuplicate, errSurplus} {
		if errors.Is(err, word) {
			return true
		}
	}
	return false
}
