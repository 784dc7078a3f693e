package mesh

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
)

// errPacket says that a peer sent what no QUIC packet can be.
var errPacket = errors.New("a packet in the tunnel has a size that no packet has")

// A tunnelError is how a connection ends whose tunnel does.
type tunnelError struct{ reason error }

func (e *tunnelError) Error() string { return "the tunnel is over: " + e.reason.Error() }
func (e *tunnelError) Unwrap() error { return e.reason }

// A tunnel is a TLS connection over TCP that carries the packets of one QUIC
// connection, each behind its length in two bytes, big-endian. It is the way of
// a link where UDP does not pass.
//
// It loses packets like any other way, when more come than TCP takes: so QUIC's
// congestion control keeps the queue short, and a peer that stops reading holds
// up nobody. What is queued is sent before the tunnel ends, so that the reason
// for which a connection is closed arrives.
type tunnel struct {
	conn    *tls.Conn
	reader  *bufio.Reader
	filled  chan struct{} // gets a signal when queued has grown
	ending  chan struct{}
	end     func() // closes ending, once
	written chan struct{}

	mu     sync.Mutex // guards what follows
	queued []byte     // packets behind their lengths
	failed error      // why none is taken any more
}

var _ net.PacketConn = (*tunnel)(nil)

// newTunnel returns a tunnel through a connection whose handshake is complete.
// close frees it.
func newTunnel(conn *tls.Conn) *tunnel {
	t := &tunnel{
		conn: conn, reader: bufio.NewReaderSize(conn, tunnelBuffer),
		filled: make(chan struct{}, 1), ending: make(chan struct{}), written: make(chan struct{}),
	}
	t.end = sync.OnceFunc(func() {
		t.fail(net.ErrClosed)
		close(t.ending)
	})
	limitUnsent(conn.NetConn())
	go t.write()
	return t
}

// carry makes t the way of conn, which runs over transport: when conn is over,
// it frees both.
func (t *tunnel) carry(conn *quic.Conn, transport *quic.Transport) {
	<-conn.Context().Done()
	t.abandon(transport)
}

// abandon frees a tunnel and the transport that runs over it.
func (t *tunnel) abandon(transport *quic.Transport) {
	t.end()
	_ = transport.Close() // it says how reading ended
	t.close()
}

// ReadFrom implements net.PacketConn. It may be called by one goroutine at a
// time.
func (t *tunnel) ReadFrom(p []byte) (int, net.Addr, error) {
	n, err := t.readPacket(p)
	if err != nil {
		// The last packet may say why the connection is over, and that is to be
		// heard before what the end of its tunnel would mean.
		select {
		case <-t.ending:
		case <-time.After(lastWord):
		}
		return 0, nil, &tunnelError{err}
	}
	return n, t.conn.RemoteAddr(), nil
}

func (t *tunnel) readPacket(p []byte) (int, error) {
	var length [2]byte
	if _, err := io.ReadFull(t.reader, length[:]); err != nil {
		return 0, lostOverTCP(err)
	}
	n := int(binary.BigEndian.Uint16(length[:]))
	if n == 0 || n > len(p) {
		return 0, fmt.Errorf("%w: %w", errLost, errPacket)
	}
	if _, err := io.ReadFull(t.reader, p[:n]); err != nil {
		return 0, lostOverTCP(err)
	}
	return n, nil
}

// WriteTo implements net.PacketConn. It does not wait: a packet for which the
// queue has no room is lost.
func (t *tunnel) WriteTo(p []byte, _ net.Addr) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return 0, t.failed
	}
	if len(t.queued)+2+len(p) > tunnelQueue {
		return len(p), nil
	}
	t.queued = binary.BigEndian.AppendUint16(t.queued, uint16(len(p)))
	t.queued = append(t.queued, p...)
	select {
	case t.filled <- struct{}{}:
	default:
	}
	return len(p), nil
}

// write sends what is queued until the tunnel ends or the connection does.
func (t *tunnel) write() {
	defer close(t.written)
	var batch []byte
	for ended := false; !ended; {
		select {
		case <-t.filled:
		case <-t.ending:
			ended = true
		}
		t.mu.Lock()
		batch, t.queued = t.queued, batch[:0]
		t.mu.Unlock()
		if len(batch) == 0 {
			continue
		}
		if _, err := t.conn.Write(batch); err != nil {
			t.fail(&tunnelError{lostOverTCP(err)})
			return
		}
	}
	_ = t.conn.CloseWrite() // the other side notices in any case
}

// fail has WriteTo take no more packets.
func (t *tunnel) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = err
	}
}

// close ends the tunnel and frees it. What is queued is sent, and the end of the
// other side awaited, since closing before would cut off what is under way; a
// second is the most that this may take. Nobody else may read.
func (t *tunnel) close() {
	guard := time.AfterFunc(linger, func() { _ = t.conn.NetConn().Close() })
	defer guard.Stop()
	t.end()
	<-t.written
	_, _ = io.Copy(io.Discard, t.reader) // it ends in one way or the other
	_ = t.conn.NetConn().Close()
}

// Close implements net.PacketConn.
func (t *tunnel) Close() error {
	t.end()
	return nil
}

// LocalAddr implements net.PacketConn.
func (t *tunnel) LocalAddr() net.Addr { return t.conn.LocalAddr() }

// SetDeadline implements net.PacketConn.
func (t *tunnel) SetDeadline(at time.Time) error { return t.conn.SetReadDeadline(at) }

// SetReadDeadline implements net.PacketConn.
func (t *tunnel) SetReadDeadline(at time.Time) error { return t.conn.SetReadDeadline(at) }

// SetWriteDeadline implements net.PacketConn. WriteTo waits for nothing.
func (t *tunnel) SetWriteDeadline(time.Time) error { return nil }

// SetReadBuffer and SetWriteBuffer are what quic-go asks of a socket, and prints
// a warning if it cannot. A tunnel needs no other sizes than TCP has.
func (t *tunnel) SetReadBuffer(int) error { return nil }

// SetWriteBuffer is like SetReadBuffer.
func (t *tunnel) SetWriteBuffer(int) error { return nil }
