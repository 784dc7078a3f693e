package mesh

import (
	"context"
	"errors"

	"collie/crypto/identity"
)

// errOddHello says that a peer answered a hello, and not as one is answered.
var errOddHello = errors.New("the hello was answered oddly")

// Ask says hello to a peer, over the link that is up or one that it dials, and
// returns nil once it was answered. See Answered.
func (e *Endpoint) Ask(ctx context.Context, fp identity.Fingerprint, addresses []string) error {
	l := e.registry.inUse(fp)
	if l == nil {
		return e.Dial(ctx, fp, addresses)
	}
	_, err := e.sayHello(l, beatTimeout)
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
	for _, word := range [...]error{ErrUnenrolled, ErrNotPinned, ErrNoProtocol, ErrBusy, ErrTurnedAway, ErrRevoked, ErrDuplicate, errSurplus, errOddHello} {
		if errors.Is(err, word) {
			return true
		}
	}
	return false
}
