package mesh

import (
	"net"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
)

// streamAbandoned is the code with which a half of a stream is ended before its
// end.
const streamAbandoned quic.StreamErrorCode = 0

// streamConn is one stream as a net.Conn, for one exchange. Closing it ends both
// halves.
type streamConn struct {
	stream *quic.Stream
	link   *link
	caller bool // this side sends the request
	once   sync.Once
	closed func() // runs once, after Close
}

func (c *streamConn) Read(p []byte) (int, error) { return c.stream.Read(p) }

// Write fails when the peer keeps it waiting for stallTimeout.
func (c *streamConn) Write(p []byte) (int, error) {
	if err := c.stream.SetWriteDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	return c.stream.Write(p)
}

// Close ends both halves. The answering side has its answer delivered; the
// caller, who closes once it has the answer or wants none, cuts its half off, so
// that a request that is only half sent is never taken for a whole one.
func (c *streamConn) Close() error {
	var err error
	c.once.Do(func() {
		if c.caller {
			c.stream.CancelWrite(streamAbandoned)
		} else {
			err = c.stream.Close()
		}
		c.stream.CancelRead(streamAbandoned)
		c.closed()
	})
	return err
}

func (c *streamConn) LocalAddr() net.Addr  { return c.link.conn.LocalAddr() }
func (c *streamConn) RemoteAddr() net.Addr { return c.link.conn.RemoteAddr() }

func (c *streamConn) SetDeadline(t time.Time) error      { return c.stream.SetDeadline(t) }
func (c *streamConn) SetReadDeadline(t time.Time) error  { return c.stream.SetReadDeadline(t) }
func (c *streamConn) SetWriteDeadline(t time.Time) error { return c.stream.SetWriteDeadline(t) }

// streamListener is the net.Listener of all exchanges that peers start. It
// stays open until close.
type streamListener struct {
	streams chan net.Conn
	ended   chan struct{}
	once    sync.Once
	addr    net.Addr
}

func newStreamListener(addr net.Addr) *streamListener {
	return &streamListener{streams: make(chan net.Conn), ended: make(chan struct{}), addr: addr}
}

// deliver hands a stream to the HTTP server, or closes it.
func (l *streamListener) deliver(c net.Conn) {
	select {
	case l.streams <- c:
	case <-l.ended:
		_ = c.Close() // the server is gone, and with it whoever wants to know
	}
}

func (l *streamListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.streams:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func (l *streamListener) Close() error {
	l.once.Do(func() { close(l.ended) })
	return nil
}

func (l *streamListener) Addr() net.Addr { return l.addr }
