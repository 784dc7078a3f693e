// Package harness knows the agent programs that run in panes. For each there is
// one adapter, in one file that reads like a table: how its process looks, what
// its screen shows, which questions it asks and which keys answer each, where its
// input is and whether that is free. What an adapter does not understand is
// unknown, never a guess: a wrong guess would press a key.
//
// The package looks at what it is given and does nothing: whoever reads screens
// and processes is package status, and whoever types is package node. Screens
// are hostile text: an agent prints what it likes, also the exact picture of
// one of its own questions. So a screen is read from its bottom, where a program
// draws what has the input, and a question above a free input is a quotation.
package harness

import (
	"slices"
	"time"
)

// A Status says what is going on in a pane.
type Status string

// The statuses.
const (
	Working Status = "working"
	Blocked Status = "blocked" // the program needs a person
	Idle    Status = "idle"
	Done    Status = "done" // the pane's program has ended
	Shell   Status = "shell"
	Unknown Status = "unknown"
)

// Needs reports whether a person is asked for.
func (s Status) Needs() bool { return s == Blocked }

// Names that are more than that of a program.
const (
	// ShellName is the harness of a pane without an agent.
	ShellName = "shell"
	// AgentName is the generic adapter's: any program that takes lines.
	AgentName = "agent"
)

// An Adapter is what is known of one harness. It is a table and does not change.
type Adapter struct {
	Name string
	// Looks says how the process looks.
	Looks Looks
	// Screen reads the screen; nil reads nothing, and then the input is the line
	// at the cursor.
	Screen *Layout
	// ByLine says that each line is sent as it comes, also by a program that
	// takes pastes.
	ByLine bool
	// Settle is how long the program takes an Enter after a paste for a part of it.
	Settle time.Duration
}

// Agent reports whether the adapter is that of an agent.
func (a *Adapter) Agent() bool { return a != nil && a.Name != ShellName }

// A Set is the adapters of one machine: those of this package, then what the
// operator wrote. It does not change.
type Set struct {
	adapters []*Adapter
}

// builtin are the adapters of this package, in the order in which a process is
// tried on them.
var builtin = []*Adapter{claude, codex, opencode, gemini}

// Builtin returns the adapters of this package alone.
func Builtin() *Set { return &Set{adapters: builtin} }

// Named returns the adapter for a harness name. One that is not known is an
// agent that takes lines; the empty name is a shell's.
func (s *Set) Named(name string) *Adapter {
	if name == "" || name == ShellName {
		return shell
	}
	for _, a := range s.adapters {
		if a.Name == name {
			return a
		}
	}
	return generic(name)
}

// Of returns the adapter of a process by its name and its command line, or nil when
// it is no agent's.
func (s *Set) Of(name string, args []string) *Adapter {
	for _, a := range s.adapters {
		if a.Looks.Match(name, args) {
			return a
		}
	}
	return nil
}

// Names lists the harnesses that are recognised.
func (s *Set) Names() []string {
	names := make([]string, 0, len(s.adapters))
	for _, a := range s.adapters {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}
