package mesh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/quic-go/quic-go"

	"collie/mesh/trust"
)

// Named refusals of a link, a dial or an exchange.
var (
	// ErrUnreachable says that a request was refused before any of it was sent.
	ErrUnreachable = errors.New("the node is not reachable: nothing was sent")
	// ErrNoAnswer says that a request was sent, in part at least, and that no
	// answer came: what became of it is unknown.
	ErrNoAnswer = errors.New("no answer came: whether the request was carried out is unknown")
	// ErrNoReply says that nothing speaks QUIC at an address.
	ErrNoReply = errors.New("nothing answered there: no node listens, or UDP is blocked on the way")
	// ErrWrongNode says that another node answered than the one that was asked for.
	ErrWrongNode = errors.New("another node answered there: its fingerprint is not the expected one")
	// ErrNotPinned says that the other side does not know this node.
	ErrNotPinned = errors.New("the other side does not know this node's certificate")
	// ErrNoProtocol says that the other side does not speak what was asked for.
	ErrNoProtocol = errors.New("the other side does not offer this now")
	// ErrBusy says that the other side takes no more connections now.
	ErrBusy = errors.New("the other side is busy: try again in a while")
	// ErrUnenrolled says that the other side refuses this node's proof.
	ErrUnenrolled = errors.New("the other side holds another crew secret: join the crew again")
	// ErrRevoked says that a pin was taken away.
	ErrRevoked = errors.New("the pin was removed")
	// ErrDuplicate says that two processes that both live show one identity.
	ErrDuplicate = errors.New("duplicate identity")
	// ErrTurnedAway says that the other side closed the link for a reason that
	// has no name.
	ErrTurnedAway = errors.New("the other side turned the link away")
	// ErrMissedBeats says that a link is up and its hellos are not answered.
	ErrMissedBeats = errors.New("the link is up but the node does not answer")
	// ErrClosed says that this node, or the other one, is closing.
	ErrClosed = errors.New("the node is stopping")
	// ErrRequest is wrapped by every refusal to send a request that the link
	// has no place for.
	ErrRequest = errors.New("the request is not one for the crew link")
)

// errSurplus is how a link ends that another link of the same pair replaced.
var errSurplus = errors.New("another link to the node is in use")

// errLost is how a link ends, or how a handshake does that was never answered.
var errLost = errors.New("the link is lost")

// A MismatchError says that two nodes speak different versions of the protocol.
type MismatchError struct {
	// Ours is this node's Protocol, Theirs the other's.
	Ours, Theirs int
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("protocol mismatch: this node speaks version %d, the other one version %d", e.Ours, e.Theirs)
}

// Codes that a connection is closed with. They are part of the protocol.
const (
	codeDone       quic.ApplicationErrorCode = 0x0
	codeClosed     quic.ApplicationErrorCode = 0x10
	codeRevoked    quic.ApplicationErrorCode = 0x11
	codeSurplus    quic.ApplicationErrorCode = 0x12
	codeDuplicate  quic.ApplicationErrorCode = 0x13
	codeRefused    quic.ApplicationErrorCode = 0x14
	codeSilent     quic.ApplicationErrorCode = 0x15
	codeBusy       quic.ApplicationErrorCode = 0x16
	codeUnenrolled quic.ApplicationErrorCode = 0x17
	codeMismatch   quic.ApplicationErrorCode = 0x18 // the message is the closer's Protocol
)

// closing maps the code of a closed connection to the reason. codeMismatch is
// not in it, because it says more.
var closing = map[quic.ApplicationErrorCode]error{
	codeClosed:     ErrClosed,
	codeRevoked:    ErrRevoked,
	codeSurplus:    errSurplus,
	codeDuplicate:  ErrDuplicate,
	codeRefused:    ErrTurnedAway,
	codeSilent:     ErrMissedBeats,
	codeBusy:       ErrBusy,
	codeUnenrolled: ErrUnenrolled,
}

// closeFor closes a connection so that the other side reads the same reason.
func closeFor(conn *quic.Conn, reason error) {
	var mismatch *MismatchError
	code, message := codeRefused, ""
	if errors.As(reason, &mismatch) {
		code, message = codeMismatch, strconv.Itoa(Protocol)
	}
	for known, err := range closing {
		if errors.Is(reason, err) {
			code = known
		}
	}
	_ = conn.CloseWithError(code, message) // it fails only when it is over already
}

// closedFor is the reason for which a connection was closed.
func closedFor(closed *quic.ApplicationError) error {
	if named := closing[closed.ErrorCode]; named != nil {
		return named
	}
	if theirs, err := strconv.Atoi(closed.ErrorMessage); err == nil && closed.ErrorCode == codeMismatch {
		return &MismatchError{Ours: Protocol, Theirs: theirs}
	}
	return closed
}

// The alerts of TLS (RFC 8446, section 6) as QUIC transports them (RFC 9001,
// section 4.8).
const (
	alertBase           quic.TransportErrorCode = 0x100
	alertBadCertificate                         = alertBase + 42
	alertInternal                               = alertBase + 80
	alertCertRequired                           = alertBase + 116
	alertNoProtocol                             = alertBase + 120
)

// alerts are what it means that the other side ended a handshake with one.
var alerts = map[quic.TransportErrorCode]error{
	alertBadCertificate: ErrNotPinned,
	alertCertRequired:   ErrNotPinned,
	alertNoProtocol:     ErrNoProtocol,
	alertInternal:       ErrNoProtocol,
}

// explainDial is explain for a handshake that came to nothing.
func explainDial(err error) error {
	if err = explain(err); errors.Is(err, errLost) {
		return ErrNoReply
	}
	return err
}

// overBecause returns why a connection is over, or nil if it is not. Whoever uses
// one of its streams may hear of it, through err, before its context ends.
func overBecause(conn *quic.Conn, err error) error {
	if cause := context.Cause(conn.Context()); cause != nil {
		return explain(cause)
	}
	var (
		app       *quic.ApplicationError
		transport *quic.TransportError
		idle      *quic.IdleTimeoutError
		reset     *quic.StatelessResetError
		tunnel    *tunnelError
	)
	if errors.As(err, &app) || errors.As(err, &transport) || errors.As(err, &idle) || errors.As(err, &reset) || errors.As(err, &tunnel) {
		return explain(err)
	}
	return nil
}

// explain turns what ended a dial or a connection into one of the named errors,
// where it is one.
func explain(err error) error {
	var (
		transport *quic.TransportError
		app       *quic.ApplicationError
		handshake *quic.HandshakeTimeoutError
		idle      *quic.IdleTimeoutError
		reset     *quic.StatelessResetError
		tunnel    *tunnelError
		network   net.Error
	)
	switch {
	case err == nil || errors.Is(err, ErrWrongNode) || errors.Is(err, trust.ErrAddress):
		return err
	case errors.As(err, &app):
		return closedFor(app)
	case errors.As(err, &transport) && transport.Remote:
		if named := alerts[transport.ErrorCode]; named != nil {
			return named
		}
		if transport.ErrorCode == quic.ConnectionRefused {
			return ErrBusy
		}
		return err
	case errors.As(err, &tunnel):
		return tunnel.reason
	case errors.As(err, &reset):
		return fmt.Errorf("the node was started again: %w", err)
	case errors.As(err, &handshake), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return ErrNoReply
	case errors.As(err, &idle):
		return fmt.Errorf("%w: nothing came for %v", errLost, idleTimeout)
	case errors.As(err, &network) && network.Timeout():
		return ErrNoReply
	}
	return err
}
