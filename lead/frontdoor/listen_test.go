package frontdoor

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
)

// A12: the setting and the listener are one thing.
func TestOnlyLoopbackIsListenedOnUnlessAllowed(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::", "192.168.1.1", "", "collie.example", "127.0.0.1.evil.example"} {
		if _, err := Listen(t.Context(), Config{Host: host}); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, config := range []Config{{Host: "127.0.0.1"}, {Host: "localhost"}, {Host: "0.0.0.0", AllowNonLoopback: true}} {
		listener, err := Listen(t.Context(), config)
		if err != nil {
			t.Errorf("%q: %v", config.Host, err)
			continue
		}
		_ = listener.Close()
	}
}

func TestTheKernelHoldsLittleForAConnection(t *testing.T) {
	t.Parallel()
	listener, err := Listen(t.Context(), Config{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	conn, err := small{listener}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var size int
	var err2 error
	err = raw.Control(func(fd uintptr) { size, err2 = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF) })
	if err = errors.Join(err, err2); err != nil || size > 2*writeBuffer { // Linux counts its own needs too
		t.Errorf("send buffer of %d bytes, %v", size, err)
	}
}

func TestAPortInUseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	first, err := Listen(t.Context(), Config{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	_, err = Listen(t.Context(), Config{Host: "127.0.0.1", Port: first.Addr().(*net.TCPAddr).Port})
	if !errors.Is(err, ErrPortInUse) || !strings.Contains(err.Error(), "COLLIE_INSTANCE") {
		t.Errorf("second listener: %v", err)
	}
}
