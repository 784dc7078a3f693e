package site

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// Places bounds the connections of a listener. When every place is taken, the
// connection that has been without a request for longest gives its own up, so
// that idle strangers cannot keep a phone out. Connections in the middle of a
// request keep theirs; further ones wait to be accepted.
type Places struct {
	net.Listener
	most   int
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex // guards what follows
	taken int
	idle  []*placed     // the longest first
	freed chan struct{} // holds one value when a place came free
}

// NewPlaces lets a listener have so many connections at once.
func NewPlaces(listener net.Listener, most int) *Places {
	return &Places{Listener: listener, most: most, closed: make(chan struct{}), freed: make(chan struct{}, 1)}
}

// Accept returns the next connection once there is a place for it.
func (p *Places) Accept() (net.Conn, error) {
	conn, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for !p.take() {
		select {
		case <-p.freed:
		case <-p.closed:
			return nil, net.ErrClosed
		}
	}
	return &placed{Conn: conn, places: p}, nil
}

// take takes a place, that of an idle connection if there is no other.
func (p *Places) take() bool {
	p.mu.Lock()
	if p.taken < p.most {
		p.taken++
		p.mu.Unlock()
		return true
	}
	var longest *placed
	if len(p.idle) > 0 {
		longest = p.idle[0]
	}
	p.mu.Unlock()
	if longest != nil {
		_ = longest.Close() // gives its place up
	}
	return false
}

// State follows what the server does with a connection; see http.Server.
func (p *Places) State(conn net.Conn, state http.ConnState) {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = wrapped.NetConn()
	}
	c, ok := conn.(*placed)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(other *placed) bool { return other == c })
	if (state == http.StateNew || state == http.StateIdle) && !c.gone {
		p.idle = append(p.idle, c)
		p.tell() // whoever waits may have it
	}
}

// tell wakes who waits for a place. mu is held.
func (p *Places) tell() {
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// Close ends Accept.
func (p *Places) Close() error {
	p.once.Do(func() { close(p.closed) })
	return p.Listener.Close()
}

// A placed connection gives its place up when it is closed.
type placed struct {
	net.Conn
	places *Places
	gone   bool // guarded by places.mu
}

func (c *placed) Close() error {
	err := c.Conn.Close()
	p := c.places
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.gone {
		return err
	}
	c.gone = true
	p.taken--
	p.idle = slices.DeleteFunc(p.idle, func(other *placed) bool { return other == c })
	p.tell()
	return err
}
