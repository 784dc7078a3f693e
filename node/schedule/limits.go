package schedule

import "time"

// Bounds of what is booked and of when it is said.
const (
	maxSchedules = 64
	// maxWakes are those of a machine, maxOwnWakes those of one session.
	maxWakes    = 200
	maxOwnWakes = 5
	maxText     = 4096
	maxCron     = 128
	// minAhead and maxAhead bound when a wake is due.
	minAhead = time.Minute
	maxAhead = 30 * 24 * time.Hour
	// missedBy is the age at which a schedule is skipped.
	missedBy = 10 * time.Minute
	// lookEvery is the longest time between two looks at the clock, which may
	// have jumped; retryAfter is that after something could not be said.
	lookEvery  = time.Hour
	retryAfter = 30 * time.Second
	// sayFor bounds saying one entry.
	sayFor = 15 * time.Second
)
