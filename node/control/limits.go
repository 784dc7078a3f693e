package control

import "time"

// Bounds of the socket.
const (
	maxConnections = 256
	maxHeaderBytes = 16 << 10
	headerTimeout  = 5 * time.Second
	bodyTimeout    = 10 * time.Second
	idleTimeout    = 5 * time.Second // between two calls on one connection
	writeTimeout   = 10 * time.Second

	// stopTimeout is how long a change may go on once the server closes, and
	// abandonTimeout how long a call may take to notice that it was ended.
	stopTimeout    = 2 * time.Second
	abandonTimeout = 2 * time.Second

	// answerTimeout bounds a client's wait: a call may wait for a message or a
	// receipt for a minute.
	answerTimeout = 2 * time.Minute
)
