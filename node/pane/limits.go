package pane

import (
	"time"

	"collie/node/pane/holder"
)

const (
	// maxPanes is how many panes one node keeps.
	maxPanes = 250
	// MaxPasteBytes is the most text that one Paste takes: one input of a holder,
	// with its brackets.
	MaxPasteBytes = holder.MaxInputBytes - len(pasteBegin) - len(pasteEnd)
	// MaxKeys is how many keys one EncodeKeys takes.
	MaxKeys = 256
	// MaxHistory is the most scrollback lines that one History returns.
	MaxHistory = holder.MaxHistory
	// defaultScrollback is how many lines a pane keeps.
	defaultScrollback = 10_000
	// The size of a pane for which none was asked.
	defaultCols = 80
	defaultRows = 24
	// maxArguments and maxArgumentBytes bound a command, maxVariables and
	// maxVariableBytes what is added to its environment.
	maxArguments     = 256
	maxArgumentBytes = 128 * 1024
	maxVariables     = 256
	maxVariableBytes = 64 * 1024
	// maxDraws is how often a new id is drawn before New gives up.
	maxDraws = 8
	// maxEntries is how many files of the panes folder are looked at.
	maxEntries = 1000
)

const (
	// requestTimeout bounds a request whose context has no deadline.
	requestTimeout = 5 * time.Second
	// closeTimeout bounds the wait for a closed pane's program to end.
	closeTimeout = 5 * time.Second
	// attachTimeout bounds one attempt to reach a holder.
	attachTimeout = 3 * time.Second
	// socketGrace is how long after its socket has a name a holder may take to
	// answer on it, and slowStart how long after its start was given up.
	socketGrace = 2 * time.Second
	slowStart   = 30 * time.Second
	// The wait before a holder that lives but did not answer, or that ended a
	// connection within briefly, is tried again, doubled each time.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
	briefly    = time.Second
)
