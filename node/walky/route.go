package walky

import (
	"context"
	"errors"
	"time"
)

// ErrNotSent is wrapped by a route's error when nothing left this machine. Any
// other error of Forward means that the outcome is unknown.
var ErrNotSent = errors.New("message was not sent")

// An Outgoing is a message of this machine to another one.
type Outgoing struct {
	ID      string
	From    Address // Machine is empty; Pane too when a person sends
	Label   string
	Device  string // of the phone that it was written on; only a lead's route takes one
	To      Address
	Body    string
	ReplyTo string
	// SentAt is by this machine's clock. A route that knows the lead's clock
	// puts that in its place, since the lead compares.
	SentAt time.Time
}

// A Route leads to the other machines of the crew.
type Route interface {
	// Forward hands a message on and returns its first receipt. Later ones come
	// through Station.Result.
	Forward(ctx context.Context, message Outgoing) (Receipt, error)
	// Who returns the agent sessions of the other machines.
	Who(ctx context.Context) ([]Peer, error)
	// Recall has a held message taken back on the machine that it is for, and
	// returns the receipt from there.
	Recall(ctx context.Context, to string, what Recall) (Receipt, error)
	// SelfMember is this machine's member id.
	SelfMember() string
}
