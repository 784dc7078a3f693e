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
	// maxWhyBytes bounds the reason in a report.
	maxWhyBytes = 200
)
