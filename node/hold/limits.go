package hold

import "time"

// Bounds of the questions that wait.
const (
	maxWaiting = 64 // on one machine
	maxOfPane  = 8
	// maxAnswered is how many answered questions are remembered, so that a late
	// tap hears that there was an answer.
	maxAnswered = 128
	// handTime is how long an answer may take to reach the one who asked.
	handTime = 2 * time.Second
)
