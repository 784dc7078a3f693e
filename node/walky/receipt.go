package walky

import (
	"encoding/json"
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
	ReasonUnrecorded  = "unrecorded"  // a machine on the way could not write its journal, and nothing was typed
	reasonCheck       = "check "      // and the name of the check that failed
)

// A Receipt is what is known of one message.
type Receipt struct {
	ID     string
	State  State
	Reason string        // of a refusal
	Wait   time.Duration // of a refusal for now
	At     time.Time
}

// receiptJSON is a receipt on the crew link.
type receiptJSON struct {
	ID     string `json:"id"`
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
	WaitMs int64  `json:"waitMs,omitempty"`
	At     int64  `json:"at"` // epoch milliseconds
}

// MarshalJSON writes {id, state, reason, waitMs, at}, at in epoch milliseconds.
func (r Receipt) MarshalJSON() ([]byte, error) {
	return json.Marshal(receiptJSON{r.ID, r.State, r.Reason, r.Wait.Milliseconds(), r.At.UnixMilli()})
}

// UnmarshalJSON reads what MarshalJSON writes. Nothing in it is believed before
// Result or Send has checked it.
func (r *Receipt) UnmarshalJSON(data []byte) error {
	var j receiptJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	wait := time.Duration(min(max(j.WaitMs, -1), 2*maxWait.Milliseconds())) * time.Millisecond
	*r = Receipt{j.ID, j.State, j.Reason, wait, time.UnixMilli(j.At).UTC()}
	return nil
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
	case len(r.Reason) > maxReason || strings.Trim(r.Reason, "abcdefghijklmnopqrstuvwxyz ") != "":
		return fmt.Errorf("%w: its reason is not a few plain words", ErrReceipt)
	case r.Reason != "" && r.State != Refused || r.Reason == "" && r.State == Refused:
		return fmt.Errorf("%w: a reason belongs to a refusal", ErrReceipt)
	case r.Wait < 0 || r.Wait > maxWait:
		return fmt.Errorf("%w: it asks to wait for %s", ErrReceipt, r.Wait)
	}
	return nil
}
