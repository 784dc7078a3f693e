package mesh_test

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// tcpNetwork is TCP between hosts of a simulated network: a pipe for each
// connection. UDP can be cut while it works.
type tcpNetwork struct {
	mu        sync.Mutex // guards listeners
	listeners map[string]*tcpListener
}

type tcpListener struct {
	network *tcpNetwork
	addr    *net.TCPAddr
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// listen returns the listener of a host.
func (n *tcpNetwork) listen(host byte) *tcpListener {
	l := &tcpListener{network: n, addr: tcpHost(host, 8788), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners == nil {
		n.listeners = map[string]*tcpListener{}
	}
	n.listeners[l.addr.String()] = l
	return l
}

// dialFrom returns how a host dials.
func (n *tcpNetwork) dialFrom(host byte) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		n.mu.Lock()
		l := n.listeners[address]
		n.mu.Unlock()
		if l == nil {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		here, there := net.Pipe()
		from := tcpHost(host, 40000)
		select {
		case l.conns <- addressed{there, l.addr, from}:
			return addressed{here, from, l.addr}, nil
		case <-l.closed:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func tcpHost(host byte, port int) *net.TCPAddr {
	return &net.TCPAddr{IP: net.IPv4(10, 0, 0, host).To4(), Port: port}
}

func (l *tcpListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *tcpListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *tcpListener) Addr() net.Addr { return l.addr }

// addressed is a pipe with the addresses of a TCP connection.
type addressed struct {
	net.Conn
	local, remote net.Addr
}

func (a addressed) LocalAddr() net.Addr  { return a.local }
func (a addressed) RemoteAddr() net.Addr { return a.remote }
