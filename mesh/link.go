package mesh

import (
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
)

// A State is what a node can say about the link to a peer.
type State string

// The states of a link.
const (
	// StateReachable is a link that is up and answers.
	StateReachable State = "reachable"
	// StateUnreachable is no link, or one that does not answer.
	StateUnreachable State = "unreachable"
	// StateIncompatible is a peer that speaks another version of the protocol.
	StateIncompatible State = "incompatible"
	// StateConflicted is a peer whose identity a second process shows as well, or
	// that follows another lead.
	StateConflicted State = "conflicted"
	// StateUnenrolled is a peer with the right pin and another crew secret.
	StateUnenrolled State = "unenrolled"
)

// A Link is what is known about the link to a peer at a moment.
type Link struct {
	// Up says that requests can be sent. A conflicted link may be up.
	Up    bool
	State State
	// Reason says why State is not StateReachable; it reads as a sentence. Cause is
	// the same for errors.Is; nil while there was no link yet.
	Reason string
	Cause  error
	// Since is when Up last changed.
	Since time.Time
	// Dialled says that this side dialled. It is of a link that is up, as are
	// RTT and Via.
	Dialled bool
	RTT     time.Duration
	Via     string // "quic" or "tcp"
	// SeenAt is when the peer last answered a hello, by this node's clock;
	// CalledAt is when it last called ours, with both factors. Zero is never.
	SeenAt, CalledAt time.Time
	// ClockAhead is how far the peer's clock was ahead of ours when last seen.
	ClockAhead time.Duration
	// PeerNow is the peer's clock at this moment: what it said last, and as long as it
	// is since then, the sleep of this machine included; zero while it said nothing.
	// That our own clock was set meanwhile changes nothing.
	PeerNow time.Time
	// MemberID and Build are what the peer says about itself.
	MemberID, Build string
	Holdings        Holdings
	// FailedAt is when a dial to it last came to nothing; zero is never.
	FailedAt time.Time
}

// The ways that a link can take.
const (
	viaQUIC = "quic"
	viaTCP  = "tcp" // QUIC in a tunnel
)

// viaOf returns the way that a connection takes.
func viaOf(conn *quic.Conn) string {
	if conn.RemoteAddr().Network() == "tcp" {
		return viaTCP
	}
	return viaQUIC
}

// A link is one connection to a peer, and in the case of an enrolment to a
// stranger.
type link struct {
	conn    *quic.Conn
	via     string
	peer    identity.Fingerprint
	dialled bool
	binding binding
	enroll  bool // ALPNEnroll; then nothing of what follows is used

	// open and long hold an element for every exchange of a RoundTripper, and
	// for every one whose answer goes on.
	open, long chan struct{}

	// settled is closed once the link counts or never will, expecting once this
	// side's hello was refused and the new crew secret may come.
	settled, expecting chan struct{}
	expect             func() // closes expecting, once

	// The registry's mutex guards what follows.
	isSettled bool
	processID string // of the peer
	over      error  // why it does not count, or no longer
	silence   silence
}

func newLink(conn *quic.Conn, dialled bool) *link {
	l := &link{
		conn: conn, via: viaOf(conn), dialled: dialled, settled: make(chan struct{}), expecting: make(chan struct{}),
		open: make(chan struct{}, MaxExchanges), long: make(chan struct{}, MaxLong),
	}
	l.expect = sync.OnceFunc(func() { close(l.expecting) })
	return l
}

// close ends the connection for a reason, which the peer is told.
func (l *link) close(reason error) { closeFor(l.conn, reason) }

// done is closed when the connection is over.
func (l *link) done() <-chan struct{} { return l.conn.Context().Done() }
