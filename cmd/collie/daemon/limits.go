package daemon

import "time"

// Bounds in time.
const (
	// phoneBeat is how often a stream to a phone says that it lives.
	phoneBeat = 2 * time.Second
	// stopTimeout is how long a stop may take; what has not ended then is left
	// to the end of the process.
	stopTimeout = 4800 * time.Millisecond
	// joinTimeout bounds a join, dialling included.
	joinTimeout = 20 * time.Second
	// roleTimeout bounds the wait for a change of role to take effect.
	roleTimeout = 5 * time.Second
	// leaveTimeout bounds telling the lead that a member goes.
	leaveTimeout = 2 * time.Second
	// nearbyMemory is how long the addresses of this machine are remembered.
	nearbyMemory = 5 * time.Second
	// reconnectTimeout bounds the wait for a link after collie reconnect: a link
	// that is dead is noticed, and another one dialled.
	reconnectTimeout = 25 * time.Second
	reconnectLook    = 200 * time.Millisecond // between two looks
	// linkRetry is the time between two tries to open the crew link.
	linkRetry = 10 * time.Second
	// doorCheckEvery is how often the standby door looks whether it is to be open.
	doorCheckEvery = time.Second
	// hearTimeout is how long a command that took something away waits until the
	// deputy has heard of it, and hearPause is between two looks.
	hearTimeout = 2 * time.Second
	hearPause   = 20 * time.Millisecond
	// readTimeout bounds the doctor's own read of the front door.
	readTimeout = 2 * time.Second
)
