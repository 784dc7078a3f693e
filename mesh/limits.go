package mesh

import "time"

// Protocol is the version of everything said on the link. The integer is the
// contract: two nodes whose integers differ say so and nothing else.
const Protocol = 1

// Names of the two protocols in the handshake (ALPN, RFC 7301).
const (
	// ALPNCrew is the link between two nodes that have pinned each other.
	ALPNCrew = "collie-crew/1"
	// ALPNEnroll lets a node that holds an invite join, and is spoken only while
	// an invite is live.
	ALPNEnroll = "collie-enroll/1"
)

// DefaultAddress is where a node listens when it is told nothing else.
const DefaultAddress = ":8788"

// Bounds of a connection and of an exchange.
const (
	// MaxHeader bounds the header of a request and of an answer, in bytes.
	MaxHeader = 32 << 10
	// MaxStreams bounds the exchanges that one peer may have open.
	MaxStreams = 256
	// MaxExchanges of them are for requests of a RoundTripper; the rest is kept
	// for the hellos that tell a busy link from a dead one.
	MaxExchanges = MaxStreams - 8
	// MaxLong of those may have answers that go on (text/event-stream).
	MaxLong = 192

	streamWindow     = 1 << 20 // bytes that a peer may send on a stream before we read
	connectionWindow = 4 << 20 // the same for all streams of a connection
	firstWindow      = 256 << 10

	idleTimeout      = 15 * time.Second // without a packet a connection is dead
	keepAlive        = 5 * time.Second
	handshakeTimeout = 3 * time.Second
	// quicHeadStart is how long QUIC may look for a way before TCP is tried.
	quicHeadStart = 3 * time.Second
	// tunnelTimeout is how long a handshake may take over TCP: that of TCP, of
	// TLS, and of QUIC in the tunnel.
	tunnelTimeout = 5 * time.Second
	// headerTimeout is how long a request's header may take to arrive.
	headerTimeout = 5 * time.Second
	// stallTimeout is how long a peer may keep us from writing, or from reading
	// a body, before its stream is ended.
	stallTimeout = 30 * time.Second
	// openTimeout is how long an exchange waits for one of MaxStreams.
	openTimeout = 5 * time.Second
	// answerTimeout is how long the header of an answer may take, whatever the
	// caller's own deadline is.
	answerTimeout = 60 * time.Second
)

// Bounds of a tunnel.
const (
	tunnelQueue  = 128 << 10 // bytes that wait to be written before packets are lost
	tunnelUnsent = 32 << 10  // bytes that the kernel takes beyond what is under way
	tunnelBuffer = 16 << 10  // bytes that are read at once, a TLS record
	// linger is how long the end of a tunnel may take, and lastWord how long the
	// packet before it may take to be understood.
	linger   = time.Second
	lastWord = 250 * time.Millisecond
	// acceptPause follows a TCP connection that could not be accepted.
	acceptPause = time.Second
)

// Bounds of a link's life.
const (
	// BeatEvery is how often each side calls the other's hello, unless
	// Config.Beat says otherwise.
	BeatEvery = 5 * time.Second
	// beatTimeout is how long the answer may take.
	beatTimeout = 5 * time.Second
	// missedBeats in a row end a link.
	missedBeats = 2
	// A link over which no packet comes for quietAfter is shown as down, and lives
	// on: a short cut of the network ends no exchange. listenEvery is how often that
	// is looked at; together they are less than two beats, and quietAfter is more
	// than a link that loses every fifth packet is ever quiet.
	quietAfter  = 7500 * time.Millisecond
	listenEvery = 2 * time.Second
	// secretTimeout is how long a link whose hello was refused is kept for a new
	// crew secret that may be on its way.
	secretTimeout = 5 * time.Second
	// probeTimeout is how long an old link may take to prove that it lives when
	// another process shows up under its pin.
	probeTimeout = 1500 * time.Millisecond
	// maxLinks bounds the connections of one peer: the one in use, those that it
	// replaced, and candidates.
	maxLinks = 16
	// retireTimeout is how long the exchanges of a surplus link may go on.
	retireTimeout = 10 * time.Second
	// conflictMemory is how long a second process under one pin is shown after
	// it was last refused.
	conflictMemory = time.Minute

	redialFirst = 250 * time.Millisecond
	redialMost  = 30 * time.Second
	// QUIC is tried again at such times while a link goes over TCP.
	probeFirst = 5 * time.Second
	probeMost  = time.Minute
	// learnEvery is how often what one peer claims about itself is stored, and
	// learnBurst how often at once.
	learnEvery = 30 * time.Second
	learnBurst = 4
	// settledAfter is how long a link has to live for the next re-dial to start
	// from redialFirst again.
	settledAfter = 5 * time.Second
	// resolvedMost bounds the IP addresses that are tried of one host name.
	resolvedMost = 4

	maxHello    = 4 << 10   // bytes of a hello's body
	maxConflict = 512 << 10 // bytes of a Conflict, which holds a whole chain
	maxBuild    = 64        // characters of a build version that are kept
)

// Bounds of what strangers can cost.
const (
	// Handshakes that one address may start: a burst, and so many a second. Over
	// it an address first has to prove that it is its own (a QUIC Retry).
	handshakeBurst = 16
	handshakeRate  = 4
	// A proven address may start this many times as much before it is refused.
	provenFactor = 8
	// halfOpenRetry is how many unfinished handshakes make every address prove
	// itself, halfOpenMost how many are let be.
	halfOpenRetry = 32
	halfOpenMost  = 128
	// addressesMost bounds the addresses whose rates are remembered.
	addressesMost = 1024

	// wrongTokens from one address within wrongWindow close the door to it for
	// doorClosed.
	wrongTokens = 10
	wrongWindow = time.Minute
	doorClosed  = time.Minute
	// enrollTimeout bounds an enrolment from handshake to answer.
	enrollTimeout = 15 * time.Second
	// enrollsMost bounds the enrolments under way.
	enrollsMost = 8
	maxEnroll   = 16 << 10 // bytes of an enrolment's request and answer
)
