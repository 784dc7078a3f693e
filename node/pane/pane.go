// Package pane keeps the terminals of this machine: it opens, lists, shows,
// types into, renames and closes them.
//
// A [Multiplexer] does the work. The builtin one gives each pane a holder
// process of its own (package holder) which outlives the node: whatever happens
// to the node, the next one finds the same panes with the same screens.
//
// Invariants:
//   - What the node knows of a builtin pane comes from its holder. The state
//     folder holds sockets and no records that could disagree with them.
//   - Screens leave this package raw: whoever passes them on masks them.
//   - A write is whole and in order, or refused before its first byte. When the
//     connection ends before the answer, [ErrOutcomeUnknown] says so, and
//     nothing is sent twice.
//   - Changes are signalled, never polled for.
//
// Bounds are in limits.go.
package pane

import (
	"context"
	"errors"
	"time"

	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane/holder"
)

// A Status says what is going on in a pane. The panes themselves know of three:
// that the program ended, that it is a shell, and nothing.
type Status = harness.Status

// The statuses.
const (
	Working = harness.Working
	Blocked = harness.Blocked
	Idle    = harness.Idle
	Done    = harness.Done
	Shell   = harness.Shell
	Unknown = harness.Unknown
)

// Refusals and failures.
var (
	ErrNotFound       = errors.New("there is no such pane")
	ErrAway           = errors.New("the pane's holder does not answer at present")
	ErrTooMany        = errors.New("there are too many panes")
	ErrCwd            = errors.New("working folder is not possible")
	ErrCommand        = errors.New("command is not possible")
	ErrEnvironment    = errors.New("environment is not possible")
	ErrHarness        = errors.New("harness name is not valid: use 1 to 32 of a-z, 0-9 and -")
	ErrText           = errors.New("text is not UTF-8")
	ErrPasteSize      = errors.New("text is too long to be pasted")
	ErrStillRunning   = errors.New("the pane's program does not end")
	ErrOpen           = errors.New("somebody has the pane open, who decides on its size")
	ErrRefused        = errors.New("the multiplexer refused")
	ErrUnsupported    = errors.New("this multiplexer cannot do that")
	ErrDetached       = errors.New("the node has let go of its panes")
	ErrOutcomeUnknown = holder.ErrOutcomeUnknown
	ErrBusy           = holder.ErrBusy
	ErrInputFull      = holder.ErrFull  // nothing was queued
	ErrEnded          = holder.ErrEnded // the program is no more
	ErrSize           = holder.ErrSize
	ErrLabel          = holder.ErrLabel
	ErrStart          = holder.ErrStart
)

// An Info is a pane without its screen.
type Info struct {
	ID ID
	// Workspace and Tab are opaque. The builtin multiplexer has one workspace for
	// each working folder, and a tab for each pane.
	Workspace string
	Tab       string
	// WorkspaceLabel and TabLabel are the operator's words for them; may be empty.
	WorkspaceLabel string
	TabLabel       string
	Title          string // what the program says; not to be trusted
	Label          string // what the operator says; may be empty
	Harness        string // empty for a shell
	Status         Status
	Since          time.Time // of the status
	// ActiveAt is when the program wrote something, up to 5 s ago.
	ActiveAt time.Time
	Cols     int
	Rows     int
	Command  []string
	// Cwd is the folder that the program is in, or that it was started in, as far
	// as the multiplexer knows. Root is the workspace's: no program moves it.
	Cwd, Root string
	PID       int // of the program
	// HolderPID is the process below which everything of the pane runs, and
	// HolderStart when that started, in clock ticks after the system's start.
	HolderPID   int
	HolderStart uint64
	// Instance names this very program in this very pane: an id may be given out
	// again, an instance is not.
	Instance string
	// OpenedByOperator says that the operator opened the pane, not an agent. It is
	// never said where another program is the parent: there nobody can know.
	OpenedByOperator bool
	// Where another program than a holder is the parent of the pane's: ServerPID is
	// that, and Terminal the device that the pane's program has.
	ServerPID int
	Terminal  string
	// Exited is the program's exit code once it ended; 128 and the number of
	// the signal that ended it, or ExitUnknown.
	Exited *int
}

// ExitUnknown is the exit code of a program of which the multiplexer does not tell.
const ExitUnknown = -1

// A Spec is what a new pane should be.
type Spec struct {
	Cwd     string // absolute; empty: the home folder
	Label   string
	Harness string   // says that the program is an agent
	Cols    int      // 0: 80
	Rows    int      // 0: 24
	Command []string // empty: the account's shell
	Env     []string // KEY=value, added to the node's; no COLLIE_ keys
	// OpenedByOperator is the caller's word for who asked for the pane.
	OpenedByOperator bool
}

// Capabilities are what a multiplexer can do beyond what all can. One that it
// lacks is refused with ErrUnsupported.
type Capabilities struct {
	Name    string // builtin, tmux
	Version string // of the program that keeps the panes
	// ExitStatus says that a pane stays after its program ended, with its exit
	// code and its last screen: always, or only where this node opened it.
	ExitStatus Extent
	// PasteKnown says that Modes tells bracketed paste for every pane at once;
	// otherwise for one that was there before only after its next redraw.
	PasteKnown bool
	// Shared says that persons type into its panes past the node.
	Shared bool
}

// An Extent says for which panes something holds.
type Extent string

// The extents.
const (
	Always Extent = "always"
	Own    Extent = "own" // panes that this node opened
)

// Modes are what a pane's program has asked its terminal for, and what is known of
// the line that is typed there.
type Modes = holder.Modes

// History is a piece of a pane's scrollback.
type History = holder.History

// A Multiplexer keeps panes. All methods may be called by any goroutine. A pane
// that is not there is ErrNotFound.
type Multiplexer interface {
	// New opens a pane and returns once its program runs.
	New(ctx context.Context, spec Spec) (Info, error)
	// List returns every pane, the oldest first.
	List() []Info
	Get(id ID) (Info, error)
	// Changes returns a channel that holds one signal when List would return
	// something new, and the function that ends the subscription.
	Changes() (changed <-chan struct{}, stop func())

	// Opening returns a channel that is closed when a pane is listed which a process
	// that started then, in clock ticks after the system's start, may be of, or when
	// there will be no such pane; nil when none is being opened.
	Opening(started uint64) (over <-chan struct{})

	// Screen returns the whole screen.
	Screen(ctx context.Context, id ID) (grid.Frame, error)
	// Watch calls send with the whole screen and then with what changed, at
	// most 60 times a second, until ctx ends, send fails or the pane is gone
	// (ErrNotFound). While send runs, changes are merged.
	Watch(ctx context.Context, id ID, send func(grid.Frame) error) error
	// History returns lines of scrollback, the oldest being 0.
	History(ctx context.Context, id ID, from, count int) (History, error)
	Modes(ctx context.Context, id ID) (Modes, error)

	// Input types raw bytes. It returns when they are queued for the program.
	Input(ctx context.Context, id ID, p []byte) error
	// Paste types text the way a terminal pastes, without a forged end.
	Paste(ctx context.Context, id ID, text string) error
	// InputIf and PasteIf type unless still refuses, which is called right before: then
	// Screen has all that the program has written, as far as it was read.
	InputIf(ctx context.Context, id ID, p []byte, still func() error) error
	PasteIf(ctx context.Context, id ID, text string, still func() error) error
	Resize(ctx context.Context, id ID, cols, rows int) error
	Rename(ctx context.Context, id ID, label string) error
	// RenameTab and RenameWorkspace change the operator's words for what Info
	// names; ErrNotFound when no pane is in it.
	RenameTab(ctx context.Context, tab, label string) error
	RenameWorkspace(ctx context.Context, workspace, label string) error
	// Close hangs the pane up and returns when its program has ended.
	Close(ctx context.Context, id ID) error

	Capabilities() Capabilities
	// Trouble is why no pane can be reached at present, as one sentence, or empty.
	Trouble() string
	// Detach lets go of every pane and waits until nothing of the multiplexer
	// runs in this process. The panes live on.
	Detach() error
}
