package frontdoor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// Listen opens the port of a configuration: ErrNotLoopback unless the address
// is one of loopback or another is allowed, ErrPortInUse for a port that is
// taken.
func Listen(ctx context.Context, config Config) (net.Listener, error) {
	host := config.Host
	if host == "localhost" {
		host = "127.0.0.1" // whatever a hosts file says
	}
	address, err := netip.ParseAddr(host)
	if (err != nil || !address.IsLoopback()) && !config.AllowNonLoopback {
		return nil, fmt.Errorf("cannot listen on %s: %w", config.Host, ErrNotLoopback)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(config.Port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("cannot listen on port %d: %w", config.Port, ErrPortInUse)
	case err != nil:
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	return listener, nil
}

// small bounds what the kernel holds for each connection of a listener.
type small struct{ net.Listener }

func (l small) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(writeBuffer) // a larger buffer only delays
	}
	return conn, err
}
