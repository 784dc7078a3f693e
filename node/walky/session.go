package walky

import (
	"context"
	"errors"

	"collie/node/trust"
)

// A Session is one pane of this machine, with an agent in it or not.
type Session struct {
	Pane    string
	Label   string // given by a person, or empty
	Harness string // empty or "shell" when no agent runs
	Status  string
	// Program is the identity of the pane's program: it differs once another
	// program, or another run of it, is in the pane. At most 512 bytes; nothing
	// looks into it.
	Program string
	// Told is what the program calls its session, or empty as long as nobody has
	// said: it differs once the program began another one. At most 512 bytes.
	Told string
	// Token is drawn by the station.
	Token string
}

// isAgent says whether a message may be typed: a line in a shell is a command.
func (s Session) isAgent() bool { return s.Harness != "" && s.Harness != "shell" }

// What Type may answer.
var (
	// ErrBusy says that the input is not free and nothing was typed.
	ErrBusy = errors.New("input of the pane is busy")
	// ErrGone says that the pane is no more, or that stillThere said no. Enter
	// was not pressed.
	ErrGone = errors.New("pane is gone")
)

// A Terminal is the panes of this machine.
type Terminal interface {
	// Sessions returns every pane of this machine, from the moment on that the
	// station is made: a pane that is missing has lost its address.
	Sessions(ctx context.Context) ([]Session, error)
	// Type types line and Enter into a pane once, when its input is free. It
	// asks stillThere right before the first byte and again before Enter, holding
	// no lock that Sessions takes. Besides ErrBusy and ErrGone, an error before
	// stillThere was asked means that nothing was typed, and one after it that
	// nobody knows.
	Type(ctx context.Context, pane, line string, stillThere func() bool) error
}

// A Sender is who calls: a pane of this machine, or with an empty Pane the
// operator, a phone or a participant outside of panes.
type Sender struct {
	Pane  string
	Label string // shown beside the address; the pane's own when empty
	// Level is what the door could authenticate. It gives the operator the right to
	// cancel and to read every message; no message is worth more than a participant's
	// for it.
	Level trust.Level
	// Device is the label of the paired phone that this one message was written
	// on, which makes it the operator's. Whoever sets it has seen the phone's token.
	Device string
}

// readsAll says that every message of this machine may be read: no session's, but
// the person's whose machine it is. Without a pane alone nobody is a person.
func (s Sender) readsAll() bool { return s.Pane == "" && s.Level.MayInstruct() }

// door is the one that what is sent comes through: none, or that of a phone.
func (s Sender) door() Door {
	if s.Device == "" {
		return Door{}
	}
	return Door{Phone, s.Device}
}

// A Peer is a session that this machine may write to.
type Peer struct {
	Address Address `json:"address"`
	Label   string  `json:"label,omitempty"`
	Harness string  `json:"harness"`
	Status  string  `json:"status"`
	You     bool    `json:"you"` // the session that asks
}
