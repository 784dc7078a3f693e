package control

import (
	"net"
	"sync"

	"collie/node/caller"
)

// A peer is who is at the other end of a connection, or why nobody knows.
type peer struct {
	credentials caller.Credentials
	err         error
}

// A listener accepts a bounded number of connections, each with its peer.
type listener struct {
	*net.UnixListener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limit(l *net.UnixListener, connections int) *listener {
	return &listener{UnixListener: l, places: make(chan struct{}, connections), closed: make(chan struct{})}
}

// Accept waits for a place and then for a caller.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	unix, err := l.AcceptUnix()
	if err != nil {
		<-l.places
		return nil, err
	}
	c := &conn{UnixConn: unix, places: l.places}
	c.peer.credentials, c.peer.err = caller.FromConn(unix)
	return c, nil
}

// Close ends Accept.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.UnixListener.Close()
}

type conn struct {
	*net.UnixConn
	peer   peer
	places chan struct{}
	once   sync.Once
}

// Close gives the place back.
func (c *conn) Close() error {
	err := c.UnixConn.Close()
	c.once.Do(func() { <-c.places })
	return err
}
