package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/mesh/trust"
)

// Maintain keeps a link to a peer until ctx or the endpoint ends: whenever there
// is none it dials all of the peer's addresses together, and waits longer after
// every failure, from 250 ms to 30 s with full jitter. Without an address it
// waits for one: call Wake when addrs has something new to say. While the link
// goes over TCP it goes on to try QUIC, from every 5 s to every minute.
func (e *Endpoint) Maintain(ctx context.Context, fp identity.Fingerprint, addrs func() []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	changed, stopChanged := e.Watch(fp)
	defer stopChanged()
	woken, stopWoken := e.wakes.Watch()
	defer stopWoken()
	m := maintained{Endpoint: e, peer: fp, addrs: addrs, changed: changed, woken: woken}
	wait := backoff{random: e.config.Rand, first: redialFirst, longest: redialMost}
	for ctx.Err() == nil {
		if m.whileLinked(ctx) >= settledAfter {
			wait.reset()
		}
		addresses := addrs()
		if len(addresses) == 0 {
			select {
			case <-changed:
			case <-woken:
			case <-ctx.Done():
			}
			continue
		}
		switch err := e.Dial(ctx, fp, addresses); {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.registry.failed(fp, err)
		case m.whileLinked(ctx) >= settledAfter:
			wait.reset()
			continue
		}
		// A link that ends as soon as it is up, such as that of a second process
		// under one pin, is no reason to dial again at once.
		if !pause(ctx, wait.next(), woken) {
			wait.reset()
		}
	}
}

// maintained is a peer to whom Maintain keeps a link.
type maintained struct {
	*Endpoint
	peer           identity.Fingerprint
	addrs          func() []string
	changed, woken <-chan struct{}
}

// whileLinked waits for as long as there is a link, and returns how long that
// was.
func (m maintained) whileLinked(ctx context.Context) time.Duration {
	began := time.Now()
	for ctx.Err() == nil {
		l := m.registry.inUse(m.peer)
		switch {
		case l == nil:
			return time.Since(began)
		case l.via == viaTCP:
			m.leaveTCP(ctx, l)
		default:
			select {
			case <-m.changed:
			case <-ctx.Done():
			}
		}
	}
	return time.Since(began)
}

// leaveTCP tries QUIC, ever more seldom, until that works or the link over TCP
// is over.
func (m maintained) leaveTCP(ctx context.Context, l *link) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.conn.Context(), cancel)()
	wait := backoff{random: m.config.Rand, first: probeFirst, longest: probeMost}
	for ctx.Err() == nil {
		if !pause(ctx, wait.next(), m.woken) {
			wait.reset()
		}
		if addresses := m.addrs(); ctx.Err() == nil && m.dial(ctx, m.peer, addresses, m.overUDP) == nil {
			return
		}
	}
}

// pause waits, and says whether it waited to the end.
func pause(ctx context.Context, wait time.Duration, woken <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-woken:
	case <-ctx.Done():
	}
	return false
}

// Wake makes every Maintain that waits dial now, because an address is new.
func (e *Endpoint) Wake() { e.wakes.Signal() }

// Dial tries all addresses of a peer together, over QUIC and where that finds no
// way for 3 s over TCP. It returns once a link counts, or with what the addresses
// answered. It accepts the one fingerprint alone. Of several who dial one peer at a
// time the first one does, and all of them get what comes of it.
func (e *Endpoint) Dial(ctx context.Context, fp identity.Fingerprint, addresses []string) error {
	return e.dials.once(ctx, fp, func() error { return e.dial(ctx, fp, addresses, e.anyWay) })
}

func (e *Endpoint) dial(ctx context.Context, fp identity.Fingerprint, addresses []string, way dialer) error {
	if err := trust.CheckAddresses(addresses); err != nil {
		return err
	}
	conn, err := race(ctx, addresses, way, dialTLS(e.config.Identity, ALPNCrew, fp))
	if err != nil {
		return err
	}
	l, err := e.adopt(conn, true)
	if err != nil {
		return err
	}
	select {
	case <-l.settled:
	case <-ctx.Done():
		return ctx.Err()
	}
	return e.registry.verdict(l)
}

// A dialer completes a handshake with one IP address. What it fails with is
// explained.
type dialer func(ctx context.Context, addr netip.AddrPort, config *tls.Config) (*quic.Conn, error)

// overUDP dials from a socket.
func overUDP(transport *quic.Transport) dialer {
	return func(ctx context.Context, addr netip.AddrPort, config *tls.Config) (*quic.Conn, error) {
		conn, err := transport.Dial(ctx, net.UDPAddrFromAddrPort(addr), config, quicConfig())
		if err != nil {
			return nil, explainDial(err)
		}
		return conn, nil
	}
}

// withFallback dials over TCP as well, once UDP has had its head start or found
// no node. Where a node did answer over UDP, there is nothing else to hear.
func withFallback(udp, tcp dialer) dialer {
	return func(ctx context.Context, addr netip.AddrPort, config *tls.Config) (*quic.Conn, error) {
		failed := make(chan error, 1)
		return first(ctx, 2, func(ctx context.Context, i int) (*quic.Conn, error) {
			if i == 0 {
				conn, err := udp(ctx, addr, config)
				if err != nil {
					failed <- err
				}
				return conn, err
			}
			headStart := time.NewTimer(quicHeadStart)
			defer headStart.Stop()
			select {
			case <-headStart.C:
			case err := <-failed:
				if !errors.Is(err, ErrNoReply) {
					return nil, err
				}
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return tcp(ctx, addr, config)
		})
	}
}

// race dials all addresses together, and every IP address of a name, and
// returns the first connection. It waits for every attempt; what comes in
// second is closed.
func race(ctx context.Context, addresses []string, dial dialer, config *tls.Config) (*quic.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, quicHeadStart+tunnelTimeout+time.Second)
	defer cancel()
	return first(ctx, len(addresses), func(ctx context.Context, i int) (*quic.Conn, error) {
		conn, err := dialName(ctx, addresses[i], dial, config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", addresses[i], err)
		}
		return conn, nil
	})
}

// dialName resolves one address and dials what it stands for.
func dialName(ctx context.Context, address string, dial dialer, config *tls.Config) (*quic.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, err
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, explainDial(err)
	}
	ips = ips[:min(len(ips), resolvedMost)]
	return first(ctx, len(ips), func(ctx context.Context, i int) (*quic.Conn, error) {
		return dial(ctx, netip.AddrPortFrom(ips[i].Unmap(), uint16(port)), config)
	})
}

// first runs n attempts at once, returns the first that succeeds and closes the
// others. If none does it returns all of their errors, in order.
func first(ctx context.Context, n int, attempt func(ctx context.Context, i int) (*quic.Conn, error)) (*quic.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu    sync.Mutex // guards won
		won   *quic.Conn
		errs  = make([]error, n)
		group sync.WaitGroup
	)
	for i := range n {
		group.Go(func() {
			conn, err := attempt(ctx, i)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				errs[i] = err
			case won == nil:
				won = conn
				cancel()
			default:
				closeFor(conn, errSurplus)
			}
		})
	}
	group.Wait()
	if won != nil {
		return won, nil
	}
	return nil, attempts(errs)
}

// attempts are the errors of what was tried at once, on one line, each once.
type attempts []error

func (a attempts) Error() string {
	var words []string
	for _, err := range a {
		if text := err.Error(); !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	return strings.Join(words, "; ")
}

func (a attempts) Unwrap() []error { return a }
