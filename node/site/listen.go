package site

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// What keeps a listener from opening; the caller says which setting mends it.
var (
	ErrNotLoopback = errors.New("it listens on loopback alone unless COLLIE_ALLOW_NON_LOOPBACK_BIND=1")
	ErrPortInUse   = errors.New("the port is in use")
)

// Listen opens a TCP port: ErrNotLoopback unless the host is an address of
// loopback, or localhost, or beyond says that another one may be; ErrPortInUse
// for a port that is taken.
func Listen(ctx context.Context, host string, port int, beyond bool) (net.Listener, error) {
	if host == "localhost" {
		host = "127.0.0.1" // whatever a hosts file says
	}
	address, err := netip.ParseAddr(host)
	if (err != nil || !address.IsLoopback()) && !beyond {
		return nil, fmt.Errorf("cannot listen on %s: %w", host, ErrNotLoopback)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("cannot listen on port %d: %w", port, ErrPortInUse)
	case err != nil:
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	return listener, nil
}
