package status

import "time"

// Bounds.
const (
	// lookInterval is the least time between two looks at one pane.
	lookInterval = 150 * time.Millisecond
	// settle is how long the screen may still show what was before a report.
	settle = time.Second
	// retryInterval is the time between two tries to watch a pane that does not
	// answer.
	retryInterval = 2 * time.Second
	// logInterval is the least time between two looks into one session log, and how
	// long its program has to write what goes with a picture.
	logInterval = time.Second
	// logWait is how long one look into a log may take.
	logWait = 5 * time.Second
	// maxWhyBytes bounds the reason in a report.
	maxWhyBytes = 200
)
