package simulated

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/quic-go/quic-go/testutils/simnet"
)

// port is where every node listens, each on a host of its own.
const port = 8788

// A Network carries the packets of a test in memory, at once or after a delay,
// or not at all where a host is cut off. The zero value is ready. Its time is
// that of the test, which may be a synctest bubble's.
type Network struct {
	router simnet.PerfectRouter

	mu    sync.Mutex // guards what follows
	hosts byte
	cut   map[netip.Addr]bool
	delay time.Duration
}

// host returns the address of a new host.
func (n *Network) host() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts++
	return netip.AddrFrom4([4]byte{10, 0, 0, n.hosts})
}

// socket returns a socket of a host. A host whose socket was closed may open
// another one.
func (n *Network) socket(host netip.Addr) net.PacketConn {
	return simnet.NewBlockingSimConn(net.UDPAddrFromAddrPort(netip.AddrPortFrom(host, port)), n)
}

// Cut loses every packet from and to the hosts of these nodes from now on.
func (n *Network) Cut(nodes ...*Node) { n.set(true, nodes) }

// Heal ends what Cut began.
func (n *Network) Heal(nodes ...*Node) { n.set(false, nodes) }

func (n *Network) set(cut bool, nodes []*Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut == nil {
		n.cut = map[netip.Addr]bool{}
	}
	for _, node := range nodes {
		n.cut[node.host] = cut
	}
}

// Delay makes every packet take this long from now on.
func (n *Network) Delay(delay time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.delay = delay
}

// AddNode makes the network a simnet.Router.
func (n *Network) AddNode(addr net.Addr, receiver simnet.PacketReceiver) {
	n.router.AddNode(addr, receiver)
}

// SendPacket makes the network a simnet.Router. What is lost is lost in silence.
func (n *Network) SendPacket(p simnet.Packet) error {
	n.mu.Lock()
	lost, delay := n.cut[hostOf(p.From)] || n.cut[hostOf(p.To)], n.delay
	n.mu.Unlock()
	switch {
	case lost:
	case delay > 0:
		time.AfterFunc(delay, func() { n.deliver(p) })
	default:
		n.deliver(p)
	}
	return nil
}

func (n *Network) deliver(p simnet.Packet) {
	_ = n.router.SendPacket(p) // a host that is not there loses it, as a network does
}

func hostOf(addr net.Addr) netip.Addr {
	udp, ok := addr.(*net.UDPAddr)
	if !ok {
		return netip.Addr{}
	}
	return udp.AddrPort().Addr().Unmap()
}
