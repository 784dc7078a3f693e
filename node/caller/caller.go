// Package caller finds out who is at the other end of a unix socket, and where
// a caller of the control socket stands.
//
// The kernel names the process (FromConn), never the caller itself. A Resolver
// then walks up the process tree: a process below the holder of a pane is in
// that pane, also after a double fork, because a holder is a child subreaper.
// The rules of the trust page ("Who is inside a pane") give its level; each
// way to be the operator is named in Caller.Why, and what matches none is a
// participant. The same reader of processes, and InFront on top of it, find the
// agent of a pane for everybody who asks.
//
// Invariants: a chain was whole at one moment, each process on it is known by
// pid and start time, and what cannot be read makes nobody an operator. A
// process that has ended, or that the kernel does not name, is refused. A lie
// by a program of the same user stays possible: it may open a terminal of its
// own, or end a holder. The bounds are in limits.go.
package caller

import (
	"context"
	"errors"
	"os"

	"collie/node/trust"
)

// Refusals. None of them places the caller anywhere.
var (
	// ErrNoProcess: the kernel names no process (pid 0), as for one in a
	// sibling container.
	ErrNoProcess = errors.New("the kernel does not name the calling process")
	// ErrOtherUser: the process runs as another user.
	ErrOtherUser = errors.New("the calling process belongs to another user")
	// ErrEnded: the process had ended when it was looked up.
	ErrEnded = errors.New("the calling process has ended")
	// ErrTooDeep: the process has more than MaxChain ancestors.
	ErrTooDeep = errors.New("the calling process has too many ancestors")
	// ErrUnsettled: its ancestors kept changing while they were read.
	ErrUnsettled = errors.New("the ancestors of the calling process do not stand still")
)

// A Caller is a process with its place. Pane is empty outside of panes. Why is
// the reason for the level, as one clause that goes on "it …".
type Caller struct {
	Level trust.Level
	Pane  string
	Why   string
}

// A Holder is the process that owns a pane.
type Holder struct {
	Pane      string
	PID       int
	StartTime uint64 // in clock ticks after the system's start
	// ProgramPID is the pane's own first program, a child of the holder; 0
	// once that has ended, because the kernel may give its pid to another.
	ProgramPID int
	// Harness is the agent program that runs in the pane; "" and "shell" are none.
	Harness string
	// OpenedByOperator says that no agent opened the pane.
	OpenedByOperator bool
	// ServerPID is set, and PID is not, for a pane that another program's server
	// keeps: that process. Terminal is the device of the pane's programs.
	ServerPID int
	Terminal  string
}

// Holders lists the panes of this node. What is below an unlisted holder is a
// participant.
type Holders interface {
	Holders() []Holder
}

// A Resolver places callers. It is safe for concurrent use; its fields are set
// before the first Resolve.
type Resolver struct {
	holders Holders
	// Processes reads the process tree; /proc by default.
	Processes Processes
	// Node is the process id of this node; by default this process's.
	Node int
	// IsHarness recognises an agent program by its process; by default none is.
	IsHarness func(Process) bool
	// Environ returns the environment that a process was started with.
	Environ func(pid int) (variable func(name string) string, err error)
	// Socket is the COLLIE_SOCKET of this node's panes; empty: nobody is known by it.
	Socket string
	// Seats tells who has the pane of a multiplexer's server before them that a
	// program is in; nil: nobody can tell.
	Seats func(server, program int) []Seat
	// Killed tells since when holders of panes were killed that this node had: the
	// start of the oldest, in clock ticks after the system's start.
	Killed func() (since uint64, killed bool)
	// Opening returns a channel that is closed when a pane is listed which a process
	// that started then may be of, or when there will be none; nil: none is being
	// opened. With it, the first command of a pane's program waits for its pane.
	Opening func(started uint64) (over <-chan struct{})
}

// NewResolver returns a resolver with its defaults.
func NewResolver(holders Holders) *Resolver {
	return &Resolver{
		holders:   holders,
		Processes: Proc{},
		Node:      os.Getpid(),
		IsHarness: func(Process) bool { return false },
		Environ:   Proc{}.Environ,
	}
}

// Resolve places the process that c names. It may be called again for a later
// request of the same connection. One whose pane is being opened waits for that, at
// most openingTimeout or until ctx ends; then it is placed as things stand.
func (r *Resolver) Resolve(ctx context.Context, c Credentials) (Caller, error) {
	ctx, cancel := context.WithTimeout(ctx, openingTimeout)
	defer cancel()
	for waits := true; ; {
		chain, err := readChain(r.Processes, c.PID, c.StartTime)
		if err != nil {
			return Caller{}, err
		}
		// The panes are listed after the walk: a pane of a process on the chain was
		// there before, or is being opened.
		listed := r.holders.Holders()
		placed := r.place(chain, listed)
		if err := c.alive(); err != nil {
			return Caller{}, err
		}
		at, unlisted := began(chain, listed)
		if placed.Pane != "" || !unlisted || !waits {
			return placed, nil
		}
		waits = r.awaitOpening(ctx, at)
	}
}

// nodeChain returns the node and its ancestors, or nil when they cannot be
// read: then nobody shares one.
func (r *Resolver) nodeChain() []Process {
	node, err := r.Processes.Process(r.Node)
	if err != nil {
		return nil
	}
	chain, err := readChain(r.Processes, r.Node, node.StartTime)
	if err != nil {
		return nil
	}
	return chain
}
