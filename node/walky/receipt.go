package walky

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A State is what is known of a message.
type State string

// The states. Refused, expired, cancelled and read are final.
const (
	Accepted  State = "accepted"  // journaled; nothing more is known yet
	Held      State = "held"      // waits for a free input, up to an hour
	Delivered State = "delivered" // its line was typed
	Read      State = "read"      // the session read the body
	Refused   State = "refused"   // see Receipt.Reason
	Expired   State = "expired"   // was held for too long
	Cancelled State = "cancelled" // by the sender, while held
	Unknown   State = "unknown"   // an answer never came; nothing is tried again
)

// follows lists the states that may come after one. A held message is accepted
// once more, in the journal alone, when its line is about to be typed.
var follows = map[State][]State{
	Accepted:  {Held, Delivered, Read, Refused, Expired, Unknown},
	Held:      {Accepted, Delivered, Read, Refused, Expired, Cancelled, Unknown},
	Delivered: {Read},
	Unknown:   {Held, Delivered, Read, Refused, Expired},
	Read:      nil, Refused: nil, Expired: nil, Cancelled: nil,
}

func (s State) known() bool {
	_, ok := follows[s]
	return ok
}

func (s State) may(next State) bool {
	for _, f := range follows[s] {
		if f == next {
			return true
		}
	}
	return false
}

// Reasons of a refusal. Another machine may give further ones, of the same form.
const (
	ReasonOff         = "off"         // the receiving machine takes no messages
	ReasonGone        = "gone"        // the instance of the address is no more
	ReasonNoSession   = "no session"  // no agent runs in the pane
	ReasonBusy        = "busy"        // over a cap; Receipt.Wait says for how long
	ReasonFull        = "full"        // as many messages wait for the session as may
	ReasonTooLarge    = "too large"   // the body is larger than the machine takes
	ReasonNoCrew      = "no crew"     // this machine knows no other one
	ReasonNoMachine   = "no machine"  // no member of the crew has that id
	ReasonUnreachable = "unreachable" // nothing was sent
	ReasonFailed      = "failed"      // the pane could not be typed into
	reasonCheck       = "check "      // and the name of the check that failed
)

// A Receipt is what is known of one message.
type Receipt struct {
	ID     string        `json:"id"`
	State  State         `json:"state"`
	Reason string        `json:"reason,omitempty"` // of a refusal
	Wait   time.Duration `json:"wait,omitempty"`   // of a refusal for now, in nanoseconds
	At     time.Time     `json:"at"`
}

// Err returns nil unless the message was refused, and then a *RefusedError.
func (r Receipt) Err() error {
	if r.State != Refused {
		return nil
	}
	return &RefusedError{Reason: r.Reason, Wait: r.Wait}
}

// ErrReceipt says that a receipt is not valid.
var ErrReceipt = errors.New("receipt is not valid")

// check is for a receipt that came from another machine.
func (r Receipt) check() error {
	switch {
	case !isID(r.ID):
		return fmt.Errorf("%w: it names no message", ErrReceipt)
	case !r.State.known():
		return fmt.Errorf("%w: state %q", ErrReceipt, clip(string(r.State)))
	case len(r.Reason) > maxReason || strings.Trim(r.Reason, lower+" ") != "":
		return fmt.Errorf("%w: its reason is not a few plain words", ErrReceipt)
	case r.Reason != "" && r.State != Refused || r.Reason == "" && r.State == Refused:
		return fmt.Errorf("%w: a reason belongs to a refusal", ErrReceipt)
	case r.Wait < 0 || r.Wait > maxWait:
		return fmt.Errorf("%w: it asks to wait for %s", ErrReceipt, r.Wait)
	}
	return nil
}
