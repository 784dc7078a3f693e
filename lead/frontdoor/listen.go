package frontdoor

import (
	"context"
	"errors"
	"fmt"
	"net"

	"collie/node/site"
)

// Listen opens the port of a configuration: ErrNotLoopback unless the address
// is one of loopback or another is allowed, ErrPortInUse for a port that is
// taken.
func Listen(ctx context.Context, config Config) (net.Listener, error) {
	listener, err := site.Listen(ctx, config.Host, config.Port, config.AllowNonLoopback)
	switch {
	case errors.Is(err, site.ErrNotLoopback):
		return nil, fmt.Errorf("cannot listen on %s: %w", config.Host, ErrNotLoopback)
	case errors.Is(err, site.ErrPortInUse):
		return nil, fmt.Errorf("cannot listen on port %d: %w", config.Port, ErrPortInUse)
	}
	return listener, err
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
