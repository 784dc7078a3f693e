package control

import (
	"net"
	"slices"
	"sync"

	"collie/node/caller"
)

// A peer is who is at the other end of a connection, or why nobody knows.
type peer struct {
	credentials caller.Credentials
	err         error
}

// A listener takes every connection at once, so that nobody can fill the kernel's
// queue of those that wait, and keeps a bounded number of them. When there are more,
// the process that has the most which ask for nothing loses its oldest.
type listener struct {
	*net.UnixListener
	most int

	mu    sync.Mutex // guards conns and what they ask
	conns []*conn    // in the order in which they came
}

func limit(l *net.UnixListener, connections int) *listener {
	return &listener{UnixListener: l, most: connections}
}

// Accept waits for a caller.
func (l *listener) Accept() (net.Conn, error) {
	for {
		unix, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		c := &conn{UnixConn: unix, listener: l}
		c.peer.credentials, c.peer.err = caller.FromConn(unix)
		out := l.admit(c)
		if out != nil {
			_ = out.Close()
		}
		if out != c {
			return c, nil
		}
	}
}

// admit keeps a connection, and returns the one that has to go for it.
func (l *listener) admit(c *conn) (out *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, c)
	if len(l.conns) <= l.most {
		return nil
	}
	silent := map[int]int{}
	for _, c := range l.conns {
		if !c.asks {
			silent[c.peer.credentials.PID]++
		}
	}
	for _, c := range l.conns {
		if !c.asks && (out == nil || silent[c.peer.credentials.PID] > silent[out.peer.credentials.PID]) {
			out = c
		}
	}
	return out // c itself, where all others ask
}

type conn struct {
	*net.UnixConn
	peer     peer
	listener *listener
	asks     bool // a call on it was not answered yet
}

// asking says that a call came on the connection, until answered is called.
func (c *conn) asking() (answered func()) {
	set := func(asks bool) {
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		c.asks = asks
	}
	set(true)
	return func() { set(false) }
}

// Close gives the place back.
func (c *conn) Close() error {
	c.listener.leave(c)
	return c.UnixConn.Close()
}

func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = slices.DeleteFunc(l.conns, func(other *conn) bool { return other == c })
}
