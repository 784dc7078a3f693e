package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/quic-go/quic-go"
)

// A DialFunc opens a TCP connection, as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// tcpDialer returns how to dial over TCP: as is configured, else as the system
// does, else, when UDP is not the system's, not at all.
func tcpDialer(configured DialFunc, socket net.PacketConn) DialFunc {
	if configured == nil && socket == nil {
		return new(net.Dialer).DialContext
	}
	return configured
}

// overTCP dials through tunnels. The same configuration holds on the outside and
// inside of one. group counts the goroutines that free a tunnel once its
// connection is over.
func overTCP(dial DialFunc, group *sync.WaitGroup) dialer {
	return func(ctx context.Context, addr netip.AddrPort, config *tls.Config) (*quic.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, tunnelTimeout)
		defer cancel()
		conn, err := dialTunnel(ctx, dial, addr, config, group)
		if err != nil {
			return nil, fmt.Errorf("over TCP: %w", explainTCP(err))
		}
		return conn, nil
	}
}

func dialTunnel(ctx context.Context, dial DialFunc, addr netip.AddrPort, config *tls.Config, group *sync.WaitGroup) (*quic.Conn, error) {
	raw, err := dial(ctx, "tcp", addr.String())
	if err != nil {
		return nil, err
	}
	outside := tls.Client(raw, config)
	if err := outside.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // it is of no use
		return nil, err
	}
	t := newTunnel(outside)
	transport := &quic.Transport{Conn: t}
	conn, err := transport.Dial(ctx, raw.RemoteAddr(), config, quicConfig())
	if err != nil {
		t.abandon(transport)
		return nil, err
	}
	group.Go(func() { t.carry(conn, transport) })
	return conn, nil
}

// listenTCP takes links over TCP on the port number of UDP. If that port is
// taken the node goes on without.
func (e *Endpoint) listenTCP() {
	e.tcp = e.config.TCPListener
	if e.tcp == nil && e.config.PacketConn == nil {
		listener, err := net.Listen("tcp", e.socket.LocalAddr().String())
		if err != nil {
			e.tcpErr = fmt.Errorf("links over TCP cannot be taken, which nodes need to whom UDP does not pass: %w", err)
			e.config.Log.Warn("no fallback for the crew link", "error", e.tcpErr)
			return
		}
		e.tcp = listener
	}
	if e.tcp != nil {
		e.group.Go(e.acceptTunnels)
	}
}

// acceptTunnels takes in TCP connections.
func (e *Endpoint) acceptTunnels() {
	for {
		raw, err := e.tcp.Accept()
		switch {
		case err == nil:
		case e.ctx.Err() != nil, errors.Is(err, net.ErrClosed):
			return
		default: // no file may be left for it
			e.config.Log.Warn("cannot accept a TCP connection of the crew", "error", err)
			pause(e.ctx, acceptPause, nil)
			continue
		}
		leave, err := e.tcpAdmission.begin(raw.RemoteAddr(), true)
		if err != nil {
			_ = raw.Close() // which tells enough
			continue
		}
		e.group.Go(func() {
			defer leave()
			if err := e.acceptTunnel(raw, leave); err != nil {
				e.config.Log.Debug("a TCP connection was turned away", "from", raw.RemoteAddr(), "error", err)
			}
		})
	}
}

// acceptTunnel takes in what one TCP connection carries, and returns when that is
// over. The same rules hold on the outside and inside of the tunnel; ready is
// called once both handshakes are complete.
func (e *Endpoint) acceptTunnel(raw net.Conn, ready func()) error {
	ctx, cancel := context.WithTimeout(e.ctx, tunnelTimeout)
	defer cancel()
	outside := tls.Server(raw, e.tls)
	if err := outside.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // it is of no use
		return err
	}
	t := newTunnel(outside)
	transport := &quic.Transport{Conn: t}
	conn, err := acceptOne(ctx, transport, e.tls)
	if err != nil {
		t.abandon(transport)
		return err
	}
	ready()
	if err = sameEnds(outside.ConnectionState(), conn.ConnectionState().TLS); err == nil {
		e.arrive(conn)
	} else {
		closeFor(conn, err)
	}
	t.carry(conn, transport)
	return err
}

// acceptOne waits for the one connection of a transport.
func acceptOne(ctx context.Context, transport *quic.Transport, config *tls.Config) (*quic.Conn, error) {
	listener, err := transport.Listen(config, quicConfig())
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }() // what was accepted lives on
	return listener.Accept(ctx)
}

// sameEnds refuses a tunnel of another node than the one that uses it, or of
// another protocol.
func sameEnds(outside, inside tls.ConnectionState) error {
	outer, err := peerFingerprint(outside)
	if err != nil {
		return err
	}
	inner, err := peerFingerprint(inside)
	if err != nil {
		return err
	}
	if !outer.Equal(inner) || outside.NegotiatedProtocol != inside.NegotiatedProtocol {
		return ErrTurnedAway
	}
	return nil
}

var (
	errTCPSilent = errors.New("nothing answered there")
	errTCPClosed = errors.New("the other side closed the connection")
	errTCPNoTLS  = errors.New("what answered there is no node: it speaks no TLS")
)

// explainTCP turns what ended a dial over TCP into one of the named errors, where
// it is one, and otherwise says it without the words around.
func explainTCP(err error) error {
	var (
		operation *net.OpError
		number    syscall.Errno
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &record):
		return errTCPNoTLS
	case errors.As(err, &operation) && operation.Op == "remote error": // crypto/tls: an alert
		for alert, named := range alerts {
			if operation.Err.Error() == tls.AlertError(alert-alertBase).Error() {
				return named
			}
		}
	case errors.As(err, &number):
		return number
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errTCPClosed
	}
	if err = explain(err); errors.Is(err, ErrNoReply) {
		return errTCPSilent
	}
	return err
}

// lostOverTCP is how a connection ends whose tunnel came to an end.
func lostOverTCP(err error) error {
	if err = explainTCP(err); errors.Is(err, ErrNotPinned) || errors.Is(err, ErrNoProtocol) {
		return err
	}
	return fmt.Errorf("%w: %w", errLost, err)
}
