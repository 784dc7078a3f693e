package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"collie/crypto/need"
)

// A Network is a router and the hosts around it, each a network namespace of
// the kernel (network_namespaces(7)) with a link (veth(4)) to the router. What
// happens on it happens to nothing else of this machine.
type Network struct {
	t      testing.TB
	router namespace
	hosts  int
}

// NewNetwork makes a network without hosts, which goes at the end of the test.
// It skips the test where the program ip or the right is missing, but not in CI.
func NewNetwork(t testing.TB) *Network {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		need.Missing(t, "the program ip (iproute2)")
	}
	router, err := newNamespace(t)
	if errors.Is(err, unix.EPERM) {
		need.Missing(t, "the right to make network namespaces")
	}
	if err != nil {
		t.Fatal(err)
	}
	n := &Network{t: t, router: router}
	n.must(router.do(func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0) }))
	return n
}

func (n *Network) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// A Host is a place on a network for one machine; see Machine.On.
type Host struct {
	network *Network
	space   namespace
	subnet  string // the first three numbers of its addresses
	port    string // of the router, where its link ends
	last    int    // number of its address
}

// Host adds a host with one address.
func (n *Network) Host() *Host {
	n.t.Helper()
	space, err := newNamespace(n.t)
	n.must(err)
	n.hosts++
	h := &Host{network: n, space: space, subnet: fmt.Sprintf("10.77.%d", n.hosts), port: fmt.Sprintf("port%d", n.hosts), last: 2}
	n.must(ip("-n", string(n.router), "link", "add", h.port, "type", "veth", "peer", "name", "eth0", "netns", string(space)))
	n.must(ip("-n", string(n.router), "address", "add", h.gateway()+"/24", "dev", h.port))
	n.must(ip("-n", string(space), "link", "set", "lo", "up"))
	n.must(ip("-n", string(space), "address", "add", h.Address()+"/24", "dev", "eth0"))
	n.must(ip("-n", string(space), "link", "set", "eth0", "up"))
	h.Plug()
	n.must(h.route())
	return h
}

// Address is where the other hosts find this one.
func (h *Host) Address() string { return fmt.Sprintf("%s.%d", h.subnet, h.last) }

func (h *Host) gateway() string { return h.subnet + ".1" }

func (h *Host) route() error {
	return ip("-n", string(h.space), "route", "replace", "default", "via", h.gateway(), "dev", "eth0")
}

// Unplug takes the link of the host down at the router, as when a cable is
// pulled out; Plug puts it back.
func (h *Host) Unplug() {
	h.network.t.Helper()
	h.network.must(ip("-n", string(h.network.router), "link", "set", h.port, "down"))
}

// Plug ends what Unplug began.
func (h *Host) Plug() {
	h.network.t.Helper()
	h.network.must(ip("-n", string(h.network.router), "link", "set", h.port, "up"))
}

// Drop has the router lose in silence whatever passes from and to the host, of
// one protocol (udp, tcp) or with an empty one of all; Pass ends that.
func (h *Host) Drop(protocol string) { h.network.t.Helper(); h.rule("add", protocol) }

// Pass ends a Drop of the same protocol.
func (h *Host) Pass(protocol string) { h.network.t.Helper(); h.rule("del", protocol) }

func (h *Host) rule(change, protocol string) {
	h.network.t.Helper()
	for _, direction := range []string{"from", "to"} {
		// A packet that is only passing through is dropped without a word to
		// whoever sent it (ip-route(8), blackhole).
		args := []string{"-n", string(h.network.router), "rule", change, "priority", "1", direction, h.subnet + ".0/24"}
		if protocol != "" {
			args = append(args, "ipproto", protocol)
		}
		h.network.must(ip(append(args, "blackhole")...))
	}
}

// Part has the router lose in silence whatever passes between two hosts, and
// between no others.
func (h *Host) Part(other *Host) {
	h.network.t.Helper()
	for _, way := range [][2]string{{h.subnet, other.subnet}, {other.subnet, h.subnet}} {
		h.network.must(ip("-n", string(h.network.router), "rule", "add", "priority", "1", "from", way[0]+".0/24", "to", way[1]+".0/24", "blackhole"))
	}
}

// Move gives the host another address in the place of the one that it has.
func (h *Host) Move() {
	h.network.t.Helper()
	old := h.Address()
	h.last++
	h.network.must(ip("-n", string(h.space), "address", "del", old+"/24", "dev", "eth0"))
	h.network.must(ip("-n", string(h.space), "address", "add", h.Address()+"/24", "dev", "eth0"))
	h.network.must(h.route()) // it went with the address
}

// Dial connects to an address as a program on the host would, on loopback as
// well.
func (h *Host) Dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = h.space.do(func() (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

// namespace is the name of a network namespace, as ip-netns(8) keeps it.
type namespace string

var namespaces atomic.Int64 // numbers their names

func newNamespace(t testing.TB) (namespace, error) {
	name := fmt.Sprintf("collie-%d-%d", os.Getpid(), namespaces.Add(1))
	if err := ip("netns", "add", name); err != nil {
		return "", err
	}
	t.Cleanup(func() {
		if err := ip("netns", "del", name); err != nil {
			t.Error(err)
		}
	})
	return namespace(name), nil
}

// do calls a function in the namespace. What it opens and starts stays there;
// it must not leave its goroutine.
func (n namespace) do(call func() error) (err error) {
	target, err := os.Open("/run/netns/" + string(n))
	if err != nil {
		return err
	}
	defer target.Close()
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer home.Close()
	defer func() {
		back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET)
		if back == nil {
			runtime.UnlockOSThread() // else the thread ends with its goroutine
		}
		err = errors.Join(err, back)
	}()
	if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter %s: %w", n, err)
	}
	return call()
}

// ip runs ip(8). Where the right is missing its error is unix.EPERM.
func ip(args ...string) error {
	command := exec.Command("ip", args...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	err := command.Run()
	if err != nil && strings.Contains(said.String(), "not permitted") {
		err = unix.EPERM
	}
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
