package frontdoor

import "time"

const (
	// maxHeaderBytes bounds the header of one request.
	maxHeaderBytes = 32 << 10
	// readHeaderTimeout, idleTimeout and exchangeTimeout bound how long a
	// connection may take for a header, between requests, and for a body or a
	// plain answer. A stream moves its own deadline with every event.
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	exchangeTimeout   = 30 * time.Second
	// stopTimeout is how long answers may take after the stop; then their
	// connections are cut.
	stopTimeout = 3 * time.Second
	// maxConnections bounds open connections; further ones wait to be accepted.
	maxConnections = 256
	// maxStreamsPerConnection bounds the requests of one HTTP/2 connection.
	maxStreamsPerConnection = 100
	// writeBuffer is what the kernel holds for a connection, in bytes. A phone
	// that is slow is felt after so much, and gets newer frames instead.
	writeBuffer = 64 << 10

	// minCompressBytes is the size from which a JSON answer is compressed, and
	// maxIdleGzip how many compressors are kept for the next one.
	minCompressBytes = 1 << 10
	maxIdleGzip      = 4

	// modeCheckEvery is how long a stream may go on after its node got a lead.
	modeCheckEvery = time.Second

	// maxPairBytes bounds the body of a claim, which anybody may send.
	maxPairBytes = 4 << 10
	// maxAssertionBytes bounds a Cloudflare Access token.
	maxAssertionBytes = 8 << 10
	// maxKeySetBytes, fetchTimeout, refetchEvery and retryEvery bound the
	// fetching of a Cloudflare Access team's keys.
	maxKeySetBytes = 64 << 10
	fetchTimeout   = 10 * time.Second
	refetchEvery   = time.Hour
	retryEvery     = 30 * time.Second
	// clockLeeway is how far the clocks of this machine and of Cloudflare may
	// be apart.
	clockLeeway = time.Minute
	// certificateCheckEvery is how often at most the certificate files are
	// looked at.
	certificateCheckEvery = time.Second
)
