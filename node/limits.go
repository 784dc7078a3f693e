package node

import (
	"time"

	"collie/node/api"
)

// Bounds of keys that are pressed for somebody, each after a look at the screen.
const (
	// answerTimeout is how long a question may take to leave the screen once it
	// was answered, and a mark to move: a person waits with the phone in hand.
	answerTimeout = 4 * time.Second
	// redrawn is how long a program may take to draw a question anew.
	redrawn = 100 * time.Millisecond
	// maxMoves bounds the keys that move the mark to one option: there and back.
	maxMoves = 2 * api.MaxOptions
	// escapePatience is how soon a second Escape has to come to count: a later one
	// is meant for another screen.
	escapePatience = 4 * time.Second
)

// Bounds of what is remembered.
const (
	// maxWriters bounds the programs that are remembered for input: those that are
	// there a few times over. Those that are gone make room.
	maxWriters = 4 * api.MaxPanes
	// maxPages bounds the pages whose key counts are remembered for one pane: more
	// than type into it at a time.
	maxPages = 32
	// maxClientBytes bounds the random id of a page.
	maxClientBytes = 64
	// maxPaced panes are kept count of before those that have rested are dropped.
	maxPaced = 256
)

// What the programs in one pane may do that leaves a line in the audit log, those
// outside of panes together: more than the caps of messages let through, and too
// little to fill the disk. What is above it is refused, and leaves no line.
const (
	paceEvery = 3 * time.Second
	paceBurst = 60
)

// Bounds of one answer.
const (
	// maxLooks is how many files, folders and repositories are read at once for
	// phones; each may take some tens of megabytes for a moment.
	maxLooks = 2
	// maxCards bounds the cards that are listed of one pane: the page shows no more.
	maxCards = 20
	// answersFor is how long a card says that a session answered a person on a
	// phone: nobody tells when they have seen it.
	answersFor = time.Hour
	// defaultTail is how many lines of the audit log are answered when nobody says:
	// a screen of them.
	defaultTail = 20
	// maxReceiptWait bounds how long a command waits for a receipt: it has a
	// connection to itself.
	maxReceiptWait = time.Minute
)
