package walky

import (
	"errors"
	"time"

	"collie/crypto/statement"
	"collie/node/walky/journal"
)

// Limits bound what a machine takes and keeps. They are handed in, so that a
// load test can raise them.
type Limits struct {
	// BodyBytes bounds a body, in bytes of UTF-8.
	BodyBytes int
	// SendPerSession, ReceivePerSession and SendPerMachine are messages in any
	// Window: from one session, to one session of each level, and from one machine.
	SendPerSession    int
	ReceivePerSession int
	SendPerMachine    int
	Window            time.Duration
	// HeldPerSession messages of each level wait for one session at most, each for
	// HeldFor.
	// HeldRetry is the time between two tries when nobody nudges.
	HeldPerSession int
	HeldFor        time.Duration
	HeldRetry      time.Duration
	// TypeFor bounds one call of the terminal, ForwardFor one of the route.
	TypeFor    time.Duration
	ForwardFor time.Duration
	// Panes bounds the instances that are remembered.
	Panes int
	// Reports are the receipts that a slow reader may be behind.
	Reports int
	// Journal bounds what stays on the disk. Its Memory is also how long a
	// receipt is reported again to a reader that comes anew.
	Journal journal.Limits
}

// DefaultLimits are those of a machine in use.
func DefaultLimits() Limits {
	return Limits{
		BodyBytes:         16 << 10,
		SendPerSession:    10,
		ReceivePerSession: 30,
		SendPerMachine:    120,
		Window:            time.Minute,
		HeldPerSession:    20,
		HeldFor:           time.Hour,
		HeldRetry:         10 * time.Second,
		TypeFor:           10 * time.Second,
		ForwardFor:        10 * time.Second,
		Panes:             1000,
		Reports:           256,
		Journal: journal.Limits{
			Age:          7 * 24 * time.Hour,
			Lines:        2000,
			Memory:       10 * time.Minute,
			SegmentLines: 50,
			SegmentBytes: 1 << 20,
			SegmentAge:   time.Hour,
		},
	}
}

// Bounds that are not for sale.
const (
	// MaxClockDifference is how far the time of a statement may be from the
	// lead's clock. Twice this is the shortest Memory that finds every replay.
	MaxClockDifference = 5 * time.Minute
	// aroundTyped is how far the clock of a program, in whose log a typed line
	// stands, may be from that of the station.
	aroundTyped = time.Minute
	// maxProgram bounds the identity of a pane's program.
	maxProgram = 512
	// maxReason bounds the reason of a refusal that another machine gave.
	maxReason = 64
	// maxWait bounds the time to wait that another machine gave.
	maxWait = time.Hour
)

// ErrLimits says that a limit is missing or contradicts another one.
var ErrLimits = errors.New("limits of walky messages are not valid")

func (l Limits) check() error {
	for _, n := range []int{
		l.BodyBytes, l.SendPerSession, l.ReceivePerSession, l.SendPerMachine, l.HeldPerSession, l.Panes, l.Reports,
	} {
		if n <= 0 {
			return ErrLimits
		}
	}
	for _, d := range []time.Duration{l.Window, l.HeldFor, l.HeldRetry, l.TypeFor, l.ForwardFor} {
		if d <= 0 {
			return ErrLimits
		}
	}
	if l.BodyBytes > statement.MaxBody || l.Journal.Memory < 2*MaxClockDifference ||
		l.Journal.Age < l.HeldFor+l.Journal.SegmentAge+l.Journal.Memory {
		return ErrLimits
	}
	return nil
}
