package mesh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/quic-go/quic-go"
)

// openSocket opens the UDP socket of a node.
func openSocket(address string) (net.PacketConn, error) {
	resolved, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, fmt.Errorf("the mesh address %q is not valid: %w", address, err)
	}
	conn, err := net.ListenUDP("udp", resolved)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for the crew on UDP %s: %w", address, err)
	}
	return &lossySocket{UDPConn: conn}, nil
}

// lossySocket turns sends that the network refuses for now into lost packets.
// quic-go ends a connection on any failed send, but a laptop that changes
// networks has no route for a moment, and its connections can live through that.
type lossySocket struct{ *net.UDPConn }

var _ quic.OOBCapablePacketConn = (*lossySocket)(nil)

// WriteMsgUDP implements quic.OOBCapablePacketConn.
func (s *lossySocket) WriteMsgUDP(b, oob []byte, addr *net.UDPAddr) (n, oobn int, err error) {
	n, oobn, err = s.UDPConn.WriteMsgUDP(b, oob, addr)
	if passing(err) {
		return len(b), len(oob), nil
	}
	return n, oobn, err
}

// passing says that a send failed for a reason that may pass.
func passing(err error) bool {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return false
	}
	switch number {
	case syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN, // no route, host down
		syscall.EPERM, syscall.EACCES, // a packet filter
		syscall.EADDRNOTAVAIL, // the address that was in use is gone
		syscall.ENOBUFS, syscall.ECONNREFUSED:
		return true
	}
	return false
}

// bufferVariable silences a line that quic-go prints through the package log
// when the kernel grants it smaller socket buffers than it asks for; the check
// of the machine reports those limits.
const bufferVariable = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"

// environment guards the process environment while bufferVariable is set.
var environment sync.Mutex

// ready readies a transport that only dials, without a packet sent or read.
func ready(transport *quic.Transport) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return quietly(func() error {
		if _, _, err := transport.ReadNonQUICPacket(ctx, nil); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
}

// quietly runs what starts a quic.Transport with the line silenced, and leaves
// no trace of that in the environment, which the programs in panes inherit.
func quietly(start func() error) error {
	environment.Lock()
	defer environment.Unlock()
	if _, set := os.LookupEnv(bufferVariable); set {
		return start()
	}
	if err := os.Setenv(bufferVariable, "true"); err != nil {
		return err
	}
	return errors.Join(start(), os.Unsetenv(bufferVariable))
}
