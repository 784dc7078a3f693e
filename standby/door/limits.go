package door

import "time"

const (
	// maxConnections bounds open connections; further ones wait to be accepted.
	maxConnections = 64
	// maxHeaderBytes bounds the header of one request, maxBodyBytes a tap's body.
	maxHeaderBytes = 16 << 10
	maxBodyBytes   = 1 << 10
	// readTimeout bounds a request's header and body, idleTimeout the time
	// between two.
	readTimeout = 10 * time.Second
	idleTimeout = time.Minute
	// writeTimeout bounds a request with its answer: asking the lead and the
	// witnesses, and opening the front door.
	writeTimeout = 45 * time.Second
	// stopTimeout is how long answers may take after the stop; then their
	// connections are cut.
	stopTimeout = 3 * time.Second
)
