package typing

import (
	"time"

	"collie/node/api"
)

// Times of a text on its way into a program. Budget ends them all, below
// api.WriteBudget, after which whoever sent the text is told that nobody knows.
const (
	// stallTimeout is how long a program may show nothing new while its text is
	// looked for, and lookTimeout how long it may take altogether: a busy agent
	// draws its input a second or two late.
	stallTimeout = 3 * time.Second
	lookTimeout  = 7 * time.Second
	// redrawn is how long a program may take to draw its input anew, maxRedraws how
	// often it may do so while a text is seen there, and unseenTimeout how long the
	// input may be away before a text is refused: somebody waits for the answer.
	redrawn       = 100 * time.Millisecond
	maxRedraws    = 5
	unseenTimeout = 300 * time.Millisecond
	// rested is how long the line of a program without a box has to stand still before
	// a message is announced there: it may have been given an Enter a moment ago.
	rested = 250 * time.Millisecond
	// Budget bounds a look and the text after it, of however many lines, and an input
	// that is emptied. Who opens a Text before it is typed sets one for both.
	Budget = api.WriteBudget - time.Second
	// promptTimeout is how long a new shell may take until it shows something; the
	// line is sent to one that shows nothing, too.
	promptTimeout = 3 * time.Second
	// maxErasures bounds the keys that empty an input, one a row of it, and
	// eraseTimeout is how long one of them may take to show.
	maxErasures  = 200
	eraseTimeout = 300 * time.Millisecond
)
