package holder

import (
	"time"

	"collie/node/pane/view"
)

// Protocol numbers that this build speaks. A change that an older peer would
// misread raises newestProtocol; oldestProtocol rises only when panes that old
// may be lost. New fields and new requests need neither: unknown fields are
// ignored and an unknown request is refused by name.
const (
	oldestProtocol = 1
	newestProtocol = 1
)

const (
	// MaxInputBytes is the most that one Input takes.
	MaxInputBytes = 512 * 1024
	// maxRequestBytes bounds a message to a holder, maxAnswerBytes one from it:
	// the largest screen that grid allows.
	maxRequestBytes = MaxInputBytes
	maxAnswerBytes  = 16 * 1024 * 1024
	// keptBytes is how large a connection's buffer may stay between messages.
	keptBytes = 64 * 1024
	// maxQueuedBytes bounds the input that the program has not read yet.
	maxQueuedBytes = 1024 * 1024
	// maxQueuedReplies is the input in the queue above which the terminal's own
	// answers are dropped: a program that asks and never reads gets no more.
	maxQueuedReplies = 16 * 1024
	// MaxLabelBytes bounds a pane's label.
	MaxLabelBytes = 128
	// MaxHistory is the most scrollback lines in one answer.
	MaxHistory = view.MaxHistory
	// maxLaunchBytes bounds what a starting holder reads: command,
	// environment and the rest of its spec.
	maxLaunchBytes = 1024 * 1024
	// maxReportBytes bounds what a starting holder says back.
	maxReportBytes = 8 * 1024
	// maxTraceBytes is how much of the trace of a crash is read.
	maxTraceBytes = 16 * 1024
	// maxConnections is how many nodes' connections one holder serves at once.
	maxConnections = 64
	// maxWaiting is how many requests may wait on one connection.
	maxWaiting = 64
	// readChunkBytes is how much of the program's output is taken at once, and
	// so how long the screen is locked for it.
	readChunkBytes = 16 * 1024
	// writeChunkBytes is how much input is given to the program at once.
	writeChunkBytes = 4 * 1024
)

const (
	// stateInterval is the least time between two states on one connection.
	stateInterval = 100 * time.Millisecond
	// activityInterval is the least time between two reports that a program is
	// writing.
	activityInterval = 5 * time.Second
	// messageTimeout bounds each write, and each read once its message began.
	messageTimeout = 5 * time.Second
	// helloTimeout bounds what both ends say first.
	helloTimeout = 5 * time.Second
	// startTimeout bounds the start of a holder and its program.
	startTimeout = 10 * time.Second
	// drainTimeout is how long the end of a program waits for its last output.
	drainTimeout = time.Second
	// hangupGrace is how long a program may take to end after its terminal was
	// hung up.
	hangupGrace = 2 * time.Second
	// MaxExitKept is how long the exit of a program is kept at most.
	MaxExitKept = time.Hour
)
