package mesh

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/time/rate"
)

// admission bounds what strangers can cost before they have shown who they are.
type admission struct {
	now func() time.Time

	mu       sync.Mutex // guards what follows
	halfOpen int
	rates    map[netip.Addr]*rates
}

// rates are what one address may start: before it has proved that it is its
// own, which a sender of forged packets cannot, and after.
type rates struct {
	unproven, proven *rate.Limiter
}

func newAdmission(now func() time.Time) *admission {
	return &admission{now: now, rates: map[netip.Addr]*rates{}}
}

// of returns the rates of an address. a.mu is held.
func (a *admission) of(addr net.Addr) *rates {
	key := hostOf(addr)
	r := a.rates[key]
	if r == nil {
		makeRoom(a.rates)
		r = &rates{
			unproven: rate.NewLimiter(handshakeRate, handshakeBurst),
			proven:   rate.NewLimiter(handshakeRate*provenFactor, handshakeBurst*provenFactor),
		}
		a.rates[key] = r
	}
	return r
}

// mustProve implements quic.Transport.VerifySourceAddress.
func (a *admission) mustProve(addr net.Addr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.halfOpen >= halfOpenRetry || !a.of(addr).unproven.AllowN(a.now(), 1)
}

var errTooMany = errors.New("too many handshakes")

// enter implements quic.Transport.ConnContext: it counts a handshake until leave
// or until the connection is over.
func (a *admission) enter(ctx context.Context, client *quic.ClientInfo) (context.Context, error) {
	leave, err := a.begin(client.RemoteAddr, client.AddrVerified)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, leave)
	return context.WithValue(ctx, leaveKey{}, leave), nil
}

// begin counts a handshake with an address, proven or not, until leave is called.
func (a *admission) begin(addr net.Addr, proven bool) (leave func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.halfOpen >= halfOpenMost || proven && !a.of(addr).proven.AllowN(a.now(), 1) {
		return nil, errTooMany
	}
	a.halfOpen++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.halfOpen--
	}), nil
}

type leaveKey struct{}

// leave says that the handshake of a connection is complete.
func (a *admission) leave(connection context.Context) {
	if leave, ok := connection.Value(leaveKey{}).(func()); ok {
		leave()
	}
}

// hostOf returns what stands for one host: an IPv4 address, or the /64 of an
// IPv6 address, which is what one subscriber has.
func hostOf(addr net.Addr) netip.Addr {
	known, ok := addr.(interface{ AddrPort() netip.AddrPort }) // UDP and TCP
	if !ok {
		return netip.Addr{}
	}
	ip := known.AddrPort().Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return netip.Addr{}
	}
	return prefix.Addr()
}

// makeRoom drops one entry, any one, of a map that is full.
func makeRoom[V any](m map[netip.Addr]V) {
	if len(m) < addressesMost {
		return
	}
	for key := range m {
		delete(m, key)
		return
	}
}

// door closes enrolment to an address that guesses tokens.
type door struct {
	now func() time.Time

	mu      sync.Mutex // guards guesses
	guesses map[netip.Addr]*guesses
}

type guesses struct {
	count       int
	since       time.Time // of the first one that counts
	closedUntil time.Time
}

func newDoor(now func() time.Time) *door {
	return &door{now: now, guesses: map[netip.Addr]*guesses{}}
}

// open says whether an address may try.
func (d *door) open(addr net.Addr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.guesses[hostOf(addr)]
	return g == nil || !d.now().Before(g.closedUntil)
}

// wrong counts a wrong token from an address.
func (d *door) wrong(addr net.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, now := hostOf(addr), d.now()
	g := d.guesses[key]
	if g == nil {
		makeRoom(d.guesses)
		g = &guesses{}
		d.guesses[key] = g
	}
	if now.Sub(g.since) >= wrongWindow {
		g.count, g.since = 0, now
	}
	if g.count++; g.count >= wrongTokens {
		g.closedUntil = now.Add(doorClosed)
	}
}
