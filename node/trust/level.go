// Package trust says who may instruct an agent, and shows everything else as
// data.
//
// Whatever reaches an agent is an [Event] with a [Level], set once by the door
// that it came through, from what that door could authenticate. No level is
// the default and nothing raises one. What may not instruct is rendered by
// [Render], the one fence of the whole program, so that a new door cannot
// forget it. What was not typed at the console carries a [Mark] beside its text.
//
// Invariants: the zero Level may nothing; a Mark is built by this package or
// is absent; text inside a fence can neither end it nor carry a mark; cleaned
// text holds no control and no invisible character. The bounds are in limits.go.
package trust

import (
	"errors"
	"fmt"
)

// ErrLevel is wrapped by every refusal of a level that is none of the three.
var ErrLevel = errors.New("trust level is not valid")

// A Level is what the door of an event could authenticate. The zero value is
// no level: it may not instruct and is not rendered.
type Level uint8

// The levels, from the least trusted to the most.
const (
	// Public is a webhook, a fetched page, tool output, pane text.
	Public Level = iota + 1
	// Participant is an agent session, a durable agent, a hook, or a known
	// person in a channel.
	Participant
	// Operator is the person whose machine this is.
	Operator
)

// MayInstruct is the one predicate that says whether an event of this level is
// an instruction. Everything else is data.
func (l Level) MayInstruct() bool { return l == Operator }

// String returns the word for the level, "none" for the zero value.
func (l Level) String() string {
	switch l {
	case Public:
		return "public"
	case Participant:
		return "participant"
	case Operator:
		return "operator"
	case 0:
		return "none"
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// MarshalText returns the word for one of the three levels.
func (l Level) MarshalText() ([]byte, error) {
	if l < Public || l > Operator {
		return nil, fmt.Errorf("%w: %s", ErrLevel, l)
	}
	return []byte(l.String()), nil
}

// UnmarshalText takes exactly the words of MarshalText.
func (l *Level) UnmarshalText(text []byte) error {
	for _, known := range []Level{Public, Participant, Operator} {
		if string(text) == known.String() {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("%w: %q", ErrLevel, Clean(string(text), MaxMarkPartBytes))
}
