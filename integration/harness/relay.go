package harness

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Weather is what a relay does to the packets that it carries, each way.
type Weather struct {
	Loss   float64       // the share of packets that never arrives, 0 to 1
	Delay  time.Duration // how long each takes
	Jitter time.Duration // how much longer at most, at random, so that packets overtake each other
	NoUDP  bool          // no UDP packet arrives, and TCP does
	Cut    bool          // nothing arrives; what TCP carries waits
}

// A Relay is a stretch of network between one node and whoever dials the relay in
// its place: UDP packets, and TCP connections to the same port. Its weather may
// change while it runs, and its chance is drawn from a seed: the same packets in
// the same order meet the same fate.
type Relay struct {
	t      testing.TB
	target string
	front  *net.UDPConn
	tcp    net.Listener
	group  sync.WaitGroup
	ended  chan struct{}

	carried, lost, onTheWay atomic.Int64 // UDP packets

	mu      sync.Mutex // guards what follows
	weather Weather
	changed chan struct{} // closed and replaced with the weather
	chance  *rand.Rand
	ways    map[string]*net.UDPConn // to the target, by who sends
	streams map[net.Conn]bool       // ends of TCP connections
	over    bool
}

// maxOnTheWay bounds the packets that are delayed; more are lost, as in any queue
// of a network.
const maxOnTheWay = 4096

// maxPacket is the size of the largest UDP packet, in bytes.
const maxPacket = 64 << 10

// NewRelay opens a relay to a node's address, until the test ends.
func NewRelay(t testing.TB, target string, seed uint64) *Relay {
	t.Helper()
	r := &Relay{
		t: t, target: target, ended: make(chan struct{}), changed: make(chan struct{}),
		chance: rand.New(rand.NewPCG(seed, 0)), ways: map[string]*net.UDPConn{}, streams: map[net.Conn]bool{},
	}
	var err error
	if r.tcp, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if r.front, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(r.tcp.Addr().(*net.TCPAddr).AddrPort())); err != nil {
		t.Fatal(err)
	}
	r.group.Go(r.carryUDP)
	r.group.Go(r.acceptTCP)
	t.Cleanup(r.close)
	return r
}

// Address is where the relay is dialled.
func (r *Relay) Address() string { return r.tcp.Addr().String() }

// Set changes the weather.
func (r *Relay) Set(weather Weather) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.weather = weather
	close(r.changed)
	r.changed = make(chan struct{})
}

// Packets returns how many UDP packets were carried and how many were lost.
func (r *Relay) Packets() (carried, lost int64) { return r.carried.Load(), r.lost.Load() }

func (r *Relay) close() {
	close(r.ended)
	_ = r.front.Close()
	_ = r.tcp.Close()
	r.mu.Lock()
	r.over = true
	for _, way := range r.ways {
		_ = way.Close()
	}
	for stream := range r.streams {
		_ = stream.Close()
	}
	r.mu.Unlock()
	r.group.Wait()
}

// carryUDP takes what the dialling sides send. Each of them has a way of its own
// to the target, on which the answers come back.
func (r *Relay) carryUDP() {
	buffer := make([]byte, maxPacket)
	for {
		n, from, err := r.front.ReadFromUDP(buffer)
		if err != nil {
			return // it was closed
		}
		if way := r.way(from); way != nil {
			r.carry(buffer[:n], func(data []byte) { _, _ = way.Write(data) })
		}
	}
}

// way returns the socket for one sender, or nil when the relay is over.
func (r *Relay) way(from *net.UDPAddr) *net.UDPConn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if way := r.ways[from.String()]; way != nil || r.over {
		return way
	}
	way, err := net.Dial("udp", r.target)
	if err != nil {
		r.t.Errorf("a relay cannot reach %s: %v", r.target, err)
		return nil
	}
	r.ways[from.String()] = way.(*net.UDPConn)
	r.group.Go(func() {
		buffer := make([]byte, maxPacket)
		for {
			n, err := way.Read(buffer)
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err == nil: // else nobody listens at the target for now
				r.carry(buffer[:n], func(data []byte) { _, _ = r.front.WriteToUDP(data, from) })
			}
		}
	})
	return r.ways[from.String()]
}

// carry sends a packet on, after a while or never.
func (r *Relay) carry(data []byte, send func([]byte)) {
	r.mu.Lock()
	w := r.weather
	lost, late := r.chance.Float64() < w.Loss, r.chance.Float64()
	r.mu.Unlock()
	if lost || w.Cut || w.NoUDP || r.onTheWay.Load() >= maxOnTheWay {
		r.lost.Add(1)
		return
	}
	r.carried.Add(1)
	delay := w.Delay + time.Duration(late*float64(w.Jitter))
	if delay == 0 {
		send(data)
		return
	}
	data = bytes.Clone(data)
	r.onTheWay.Add(1)
	r.group.Add(1)
	time.AfterFunc(delay, func() {
		defer r.group.Done()
		r.onTheWay.Add(-1)
		send(data)
	})
}

func (r *Relay) acceptTCP() {
	for {
		near, err := r.tcp.Accept()
		if err != nil {
			return // it was closed
		}
		far, err := net.Dial("tcp", r.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		if !r.open(near, far) {
			return
		}
		r.group.Go(func() { r.stream(near, far) })
		r.group.Go(func() { r.stream(far, near) })
	}
}

// open notes a connection, so that the end of the relay closes it.
func (r *Relay) open(ends ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range ends {
		if r.over {
			_ = end.Close()
		}
		r.streams[end] = true
	}
	return !r.over
}

// stream carries the bytes of one direction until either end closes.
func (r *Relay) stream(from, to net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, maxPacket)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !r.wait() {
			return
		}
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// wait takes the delay of a piece of a TCP stream, which is that of a packet and
// longer while nothing passes. It says whether the relay goes on.
func (r *Relay) wait() bool {
	for {
		r.mu.Lock()
		w, changed := r.weather, r.changed
		r.mu.Unlock()
		var passed <-chan time.Time
		if !w.Cut {
			passed = time.After(w.Delay)
		}
		select {
		case <-passed:
			return true
		case <-changed:
		case <-r.ended:
			return false
		}
	}
}
