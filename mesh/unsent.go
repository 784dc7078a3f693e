package mesh

import (
	"net"

	"golang.org/x/sys/unix"
)

// limitUnsent keeps the kernel from queueing much more than what is under way,
// since a hello waits behind it. Without the limit a busy link only answers
// later.
func limitUnsent(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, tunnelUnsent)
	})
}
