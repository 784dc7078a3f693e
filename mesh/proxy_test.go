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

// proxy passes UDP packets between one client and one server, or drops them.
type proxy struct {
	front, back *net.UDPConn

	mu       sync.Mutex // guards what follows
	server   *net.UDPAddr
	client   *net.UDPAddr
	dropping bool
	dropped  chan struct{} // gets a signal when a packet of the server was dropped
}

func newProxy(t testing.TB) *proxy {
	t.Helper()
	p := &proxy{dropped: make(chan struct{}, 1)}
	var group sync.WaitGroup
	for _, side := range []**net.UDPConn{&p.front, &p.back} {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		*side = conn
	}
	group.Go(func() { p.pump(p.front, p.back, true) })
	group.Go(func() { p.pump(p.back, p.front, false) })
	t.Cleanup(func() {
		_ = p.front.Close()
		_ = p.back.Close()
		group.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.front.LocalAddr().String() }

func (p *proxy) to(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server, _ = net.ResolveUDPAddr("udp", address)
}

func (p *proxy) drop(dropping bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropping = dropping
}

func (p *proxy) pump(from, to *net.UDPConn, isClient bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, sender, err := from.ReadFromUDP(buffer)
		if err != nil {
			return
		}
		p.mu.Lock()
		target := p.client
		if isClient {
			p.client, target = sender, p.server
		}
		dropping := p.dropping
		p.mu.Unlock()
		switch {
		case dropping && !isClient:
			select {
			case p.dropped <- struct{}{}:
			default:
			}
		case !dropping && target != nil:
			_, _ = to.WriteToUDP(buffer[:n], target)
		}
	}
}
