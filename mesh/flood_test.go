package mesh_test

import (
	"context"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/testutils/simnet"

	"collie/crypto/need"
	"collie/mesh"
)

// broken is how many handshakes each way sees that come to nothing.
const broken = 2000

// mute is a socket that hears nothing, and after a while says nothing.
type mute struct {
	net.PacketConn
	silent atomic.Bool
}

func (m *mute) ReadFrom([]byte) (int, net.Addr, error) {
	_, _, err := m.PacketConn.ReadFrom(nil) // which takes a packet and keeps nothing of it
	if err != nil {
		return 0, nil, err
	}
	return 0, m.LocalAddr(), nil
}

func (m *mute) WriteTo(p []byte, to net.Addr) (int, error) {
	if m.silent.Load() {
		return len(p), nil
	}
	return m.PacketConn.WriteTo(p, to)
}

func (m *mute) SetReadBuffer(int) error  { return nil }
func (m *mute) SetWriteBuffer(int) error { return nil }

// cheap is how to begin a handshake with little work of one's own.
func cheap(t *testing.T) *tls.Config {
	config := stranger{certificatesOf(mint(t)), []string{mesh.ALPNCrew}}.tls()
	config.CurvePreferences = []tls.CurveID{tls.X25519}
	return config
}

// breakOverUDP begins handshakes and leaves each at the first packets.
func breakOverUDP(t *testing.T, lead *node) {
	to, err := net.ResolveUDPAddr("udp", lead.address())
	if err != nil {
		t.Fatal(err)
	}
	socket := &mute{PacketConn: localUDP(t)}
	transport := &quic.Transport{Conn: socket}
	config := cheap(t)
	var group sync.WaitGroup
	for range 10 {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		for range broken / 10 {
			group.Go(func() {
				if _, err := transport.Dial(ctx, to, config, nil); err == nil {
					t.Error("a handshake was completed by somebody who hears nothing")
				}
			})
		}
		time.AfterFunc(200*time.Millisecond, func() { socket.silent.Store(true) }) // it does not say that it gives up
		group.Wait()
		cancel()
		socket.silent.Store(false)
	}
	_ = transport.Close()
	_ = socket.Close()
}

// breakOverTCP connects and goes away, says nothing, says something else, or
// shows a certificate that nobody pinned.
func breakOverTCP(t *testing.T, lead *node) {
	config := cheap(t)
	var group sync.WaitGroup
	slots := make(chan struct{}, 500)
	for i := range broken {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			conn, err := net.Dial("tcp", lead.address())
			if err != nil {
				t.Errorf("the node takes no more: %v", err)
				return
			}
			defer func() { _ = conn.Close() }()
			switch i % 8 {
			case 0: // goes away
				return
			case 1: // says nothing
			case 2:
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			case 3: // the beginning of a ClientHello of 64 KiB
				_, _ = conn.Write([]byte{22, 3, 1, 0x40, 0, 1, 0, 0xff, 0xff, 3, 3})
			default:
				outside := tls.Client(conn, config)
				if outside.Handshake() == nil {
					_, _ = io.Copy(io.Discard, outside)
				}
				return
			}
			_, _ = io.Copy(io.Discard, conn) // until the node ends it
		})
	}
	group.Wait()
}

// files returns how many descriptors the process has open.
func files(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		need.Missing(t, "the list of open files in /proc")
	}
	return len(entries)
}

func TestBrokenHandshakesLeaveNothing(t *testing.T) {
	// Not parallel: it counts goroutines and files.
	need.Time(t, "the time-outs of handshakes")
	lead, member := linked(t)
	goroutines, open, before := runtime.NumGoroutine(), files(t), heap()
	var floods sync.WaitGroup
	floods.Go(func() { breakOverUDP(t, lead) })
	floods.Go(func() { breakOverTCP(t, lead) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		floods.Wait()
	}()
	var worst uint64
	var slowest time.Duration
	tick := time.NewTicker(250 * time.Millisecond)
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-tick.C:
			began := time.Now()
			if got := lead.get(member, "/x"); got != "200 true lead lead /x" {
				t.Errorf("a member is served with %s", got)
			}
			slowest, worst = max(slowest, time.Since(began)), max(worst, heap())
		}
	}
	tick.Stop()
	// Most of the memory is the clients', and they take the processor as well.
	if worst > before+2*heapAllowed || slowest > 10*time.Second {
		t.Errorf("%d MiB are held, %d before, and a member waited %v", worst>>20, before>>20, slowest)
	}
	for deadline := time.Now().Add(limit); runtime.NumGoroutine() > goroutines+5 || files(t) > open || heap() > before+8<<20; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before; %d files, %d before; %d KiB, %d before",
				runtime.NumGoroutine(), goroutines, files(t), open, heap()>>10, before>>10)
		}
	}
	t.Logf("heap %d MiB, before %d MiB, after %d MiB; slowest call %v", worst>>20, before>>20, heap()>>20, slowest)
	if l := lead.endpoint.LinkState(member.fp()); !up(l) {
		t.Errorf("the member's link is %+v", l)
	}
}

// TestStrangersAreNotAnsweredWithMoreThanQUICAllows holds, for an address that
// has proved nothing, what RFC 9000, section 8.1 says: no more than three times
// what came from there. TCP proves an address by itself.
func TestStrangersAreNotAnsweredWithMoreThanQUICAllows(t *testing.T) {
	t.Parallel()
	const attacker = 9
	for name, attack := range map[string]func(t *testing.T, socket net.PacketConn, lead *node){
		"a handshake that hears nothing": func(t *testing.T, socket net.PacketConn, lead *node) {
			transport := &quic.Transport{Conn: socket}
			defer func() { _ = transport.Close() }()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			_, err := transport.Dial(ctx, lead.endpoint.Addr(), stranger{certificatesOf(mint(t)), []string{mesh.ALPNCrew}}.tls(), nil)
			if err == nil {
				t.Error("it was completed")
			}
		},
		"noise": func(t *testing.T, socket net.PacketConn, lead *node) {
			random := rand.New(rand.NewPCG(1, 2))
			for range 5000 {
				packet := make([]byte, 1+random.IntN(1500))
				for i := range packet {
					packet[i] = byte(random.Uint32())
				}
				if random.IntN(2) == 0 { // looks like a first packet
					copy(packet, []byte{0xc0, 0, 0, 0, byte(random.IntN(3)), 8})
				}
				if _, err := socket.WriteTo(packet, lead.endpoint.Addr()); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var sent, answered atomic.Int64
				network := &network{}
				network.seen = func(p simnet.Packet) (pass bool) {
					from, to := lastByte(p.From), lastByte(p.To)
					switch {
					case from == attacker:
						sent.Add(int64(len(p.Data)))
					case to == attacker:
						if got := answered.Add(int64(len(p.Data))); got > 3*sent.Load() {
							t.Errorf("%d bytes were answered to %d", got, sent.Load())
						}
						return false
					}
					return true
				}
				lead := unstartedLead(t)
				lead.socket = network.socket(1)
				lead.run()
				socket := network.socket(attacker)
				attack(t, socket, lead)
				_ = socket.Close()
				if sent.Load() == 0 {
					t.Error("nothing was sent")
				}
				t.Logf("%d bytes were answered to %d", answered.Load(), sent.Load())
			})
		})
	}
}

func lastByte(addr net.Addr) byte {
	ip := addr.(*net.UDPAddr).IP
	return ip[len(ip)-1]
}
