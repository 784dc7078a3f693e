package mesh_test

import (
	"crypto/tls"
	"net"
	"sync"
	"testing"

	"collie/crypto/identity"
	"collie/mesh"
)

func parsed(t testing.TB, n *node) *identity.Certificate {
	t.Helper()
	cert, err := identity.ParseCertificate(n.id.Certificate())
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// serverTLS shows a node's certificate to whoever dials.
func serverTLS(n *node) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: certificatesOf(n.id), NextProtos: []string{mesh.ALPNCrew},
		ClientAuth: tls.RequireAnyClientCert,
	}
}

// proxy passes UDP packets between one client and one server, or drops them. The
// server sees them come from a port that can change, as behind a NAT.
type proxy struct {
	front *net.UDPConn
	group sync.WaitGroup

	mu       sync.Mutex // guards what follows
	back     *net.UDPConn
	server   *net.UDPAddr
	client   *net.UDPAddr
	dropping bool
	flushed  chan struct{} // gets a signal when the packet of flush has come
}

func newProxy(t testing.TB) *proxy {
	t.Helper()
	p := &proxy{flushed: make(chan struct{}, 1), front: localUDP(t)}
	p.group.Go(func() { p.pump(p.front, true) })
	p.rebind(t)
	t.Cleanup(func() {
		_ = p.front.Close()
		_ = p.back.Close()
		p.group.Wait()
	})
	return p
}

func localUDP(t testing.TB) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// rebind gives the proxy another port towards the server.
func (p *proxy) rebind(t testing.TB) {
	t.Helper()
	back := localUDP(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.back != nil {
		_ = p.back.Close()
	}
	p.back = back
	p.group.Go(func() { p.pump(back, false) })
}

func (p *proxy) address() string { return p.front.LocalAddr().String() }

func (p *proxy) to(t testing.TB, address string) {
	t.Helper()
	server, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

func (p *proxy) drop(dropping bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropping = dropping
}

// flush returns once whatever the server has sent by now is passed or dropped.
func (p *proxy) flush(t testing.TB) {
	t.Helper()
	p.mu.Lock()
	to := p.back.LocalAddr().(*net.UDPAddr)
	p.mu.Unlock()
	last := localUDP(t)
	defer func() { _ = last.Close() }()
	if _, err := last.WriteToUDP([]byte(flushWord), to); err != nil {
		t.Fatal(err)
	}
	<-p.flushed
}

// flushWord is no QUIC packet.
const flushWord = "flush"

func (p *proxy) pump(from *net.UDPConn, fromClient bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, sender, err := from.ReadFromUDP(buffer)
		if err != nil {
			return
		}
		p.pass(buffer[:n], sender, fromClient)
	}
}

func (p *proxy) pass(packet []byte, sender *net.UDPAddr, fromClient bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to, target := p.front, p.client
	if fromClient {
		p.client = sender
		to, target = p.back, p.server
	}
	switch {
	case string(packet) == flushWord:
		p.flushed <- struct{}{}
	case !p.dropping && target != nil:
		_, _ = to.WriteToUDP(packet, target) // what it does not take is lost
	}
}
