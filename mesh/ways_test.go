package mesh_test

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"collie/mesh"
)

// A way is how a stranger completes a handshake with an address.
type way func(ctx context.Context, t testing.TB, to string, config *tls.Config) (*quic.Conn, error)

// ways are both of them on this machine.
var ways = map[string]way{"quic": quicWay, "tcp": tunnelWay(new(net.Dialer).DialContext)}

func quicWay(ctx context.Context, _ testing.TB, to string, config *tls.Config) (*quic.Conn, error) {
	return quic.DialAddr(ctx, to, config, nil)
}

// socketWay is quicWay from a socket of a simulated network.
func socketWay(socket net.PacketConn) way {
	return func(ctx context.Context, t testing.TB, to string, config *tls.Config) (*quic.Conn, error) {
		addr := net.UDPAddrFromAddrPort(netip.MustParseAddrPort(to))
		transport := &quic.Transport{Conn: socket}
		t.Cleanup(func() { _ = transport.Close(); _ = socket.Close() })
		return transport.Dial(ctx, addr, config, nil)
	}
}

// tunnelWay digs a tunnel.
func tunnelWay(dial mesh.DialFunc) way {
	return func(ctx context.Context, t testing.TB, to string, config *tls.Config) (*quic.Conn, error) {
		outside, err := tlsTo(ctx, dial, to, config)
		if err != nil {
			return nil, err
		}
		return through(ctx, t, outside, config)
	}
}

func tlsTo(ctx context.Context, dial mesh.DialFunc, to string, config *tls.Config) (*tls.Conn, error) {
	raw, err := dial(ctx, "tcp", to)
	if err != nil {
		return nil, err
	}
	outside := tls.Client(raw, config)
	if err := outside.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return outside, nil
}

// through completes the handshake inside of a tunnel.
func through(ctx context.Context, t testing.TB, outside *tls.Conn, config *tls.Config) (*quic.Conn, error) {
	transport := &quic.Transport{Conn: framed{outside}}
	t.Cleanup(func() { _ = transport.Close(); _ = outside.NetConn().Close() })
	return transport.Dial(ctx, outside.RemoteAddr(), config, nil)
}

// framed is a client's end of a tunnel as somebody else would write it, by the
// book: each packet behind its length in two bytes.
type framed struct{ *tls.Conn }

func (f framed) ReadFrom(p []byte) (int, net.Addr, error) {
	var length [2]byte
	if _, err := io.ReadFull(f.Conn, length[:]); err != nil {
		return 0, nil, err
	}
	n, err := io.ReadFull(f.Conn, p[:binary.BigEndian.Uint16(length[:])])
	return n, f.RemoteAddr(), err
}

func (f framed) WriteTo(p []byte, _ net.Addr) (int, error) {
	_, err := f.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(p))), p...))
	return len(p), err
}

func (f framed) SetReadBuffer(int) error  { return nil }
func (f framed) SetWriteBuffer(int) error { return nil }

// deaf is a UDP socket through which nothing passes once it is set.
type deaf struct {
	net.PacketConn
	network *network
}

func (d deaf) WriteTo(p []byte, to net.Addr) (int, error) {
	if d.network.cut.Load() {
		return len(p), nil
	}
	return d.PacketConn.WriteTo(p, to)
}

// withoutUDP has a node that does not run yet speak TCP on this machine, and UDP
// only until network is cut.
func (n *node) withoutUDP(network *network) *node {
	n.t.Helper()
	udp := localUDP(n.t)
	tcp, err := net.Listen("tcp", udp.LocalAddr().String())
	if err != nil {
		n.t.Fatal(err)
	}
	n.socket, n.tcp, n.dialTCP = deaf{udp, network}, tcp, (&net.Dialer{Timeout: time.Second}).DialContext
	return n
}

// linkedBy is linkedTo over one of the two ways, on this machine.
func linkedBy(t testing.TB, by string, member *node) (lead *node) {
	t.Helper()
	network := &network{}
	lead = unstartedLead(t)
	if by == "tcp" {
		lead.withoutUDP(network)
		member.withoutUDP(network)
	}
	lead.run()
	member.joined(lead, "atlas")
	network.cut.Store(by == "tcp")
	member.maintain(lead)
	member.await(lead, "up over "+by, via(by))
	lead.await(member, "up over "+by, via(by))
	return lead
}
