package webhook

import (
	"time"

	"golang.org/x/time/rate"
)

// Bounds of what comes in.
const (
	maxChannels = 32
	// minSecret and maxSecret bound a secret, in bytes.
	minSecret = 16
	maxSecret = 64
	// MaxBodyBytes bounds a request. What is longer than a message is cut, and
	// the message says so.
	MaxBodyBytes = 256 << 10
	// textBytes is what of it stands in the message.
	textBytes = 16 << 10
	// maxID bounds the id of a delivery, maxEvent the word for what happened.
	maxID    = 256
	maxEvent = 48
	// maxSignatures bounds those of one request: a secret that is being replaced
	// has two.
	maxSignatures = 4
	// perSecond and burst bound what one channel takes, once the signature is
	// right.
	perSecond = rate.Limit(1)
	burst     = 30
	// tolerance is how far the time of a request may be from this clock.
	tolerance = 5 * time.Minute
	// maxSeen marks of a channel are remembered, the newest. A delivery leaves one
	// or two.
	maxSeen = 20_000
	// postFor bounds how long a request waits for more than the journal.
	postFor = 2 * time.Second
	// maxConnections bounds the listener; see also its timeouts.
	maxConnections = 64
	maxHeaderBytes = 16 << 10
	readTimeout    = 10 * time.Second
	writeTimeout   = 20 * time.Second
	idleTimeout    = 30 * time.Second
	stopTimeout    = 2 * time.Second
)
