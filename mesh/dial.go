package mesh

import (
	"context"
	"fmt"
	"net"
	"net/netip"
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
// waits for one: call Wake when addrs has something new to say.
func (e *Endpoint) Maintain(ctx context.Context, fp identity.Fingerprint, addrs func() []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	changed, stopChanged := e.Watch()
	defer stopChanged()
	woken, stopWoken := e.wakes.Watch()
	defer stopWoken()
	wait := backoff{random: e.config.Rand}
	for ctx.Err() == nil {
		if e.whileLinked(ctx, fp, changed) >= settledAfter {
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
		case e.whileLinked(ctx, fp, changed) >= settledAfter:
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

// whileLinked waits for as long as there is a link to a peer, and returns how
// long that was.
func (e *Endpoint) whileLinked(ctx context.Context, fp identity.Fingerprint, changed <-chan struct{}) time.Duration {
	began := time.Now()
	for ctx.Err() == nil && e.registry.inUse(fp) != nil {
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return time.Since(began)
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

// Wake makes every Maintain that waits dial now: the network changed, or an
// address is new.
func (e *Endpoint) Wake() { e.wakes.Signal() }

// Dial tries all addresses of a peer together and returns once a link counts,
// or with what the addresses answered. It accepts the one fingerprint alone.
func (e *Endpoint) Dial(ctx context.Context, fp identity.Fingerprint, addresses []string) error {
	if err := trust.CheckAddresses(addresses); err != nil {
		return err
	}
	conn, err := race(ctx, addresses, func(ctx context.Context, addr net.Addr) (*quic.Conn, error) {
		return e.transport.Dial(ctx, addr, dialTLS(e.config.Identity, ALPNCrew, fp), quicConfig())
	})
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

// A dialer completes a handshake with one address.
type dialer func(ctx context.Context, addr net.Addr) (*quic.Conn, error)

// race dials all addresses together, and every IP address of a name, and
// returns the first connection. It waits for every attempt; what comes in
// second is closed.
func race(ctx context.Context, addresses []string, dial dialer) (*quic.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout+time.Second)
	defer cancel()
	return first(ctx, len(addresses), func(ctx context.Context, i int) (*quic.Conn, error) {
		conn, err := dialName(ctx, addresses[i], dial)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", addresses[i], explainDial(err))
		}
		return conn, nil
	})
}

// dialName resolves one address and dials what it stands for.
func dialName(ctx context.Context, address string, dial dialer) (*quic.Conn, error) {
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
		return nil, err
	}
	ips = ips[:min(len(ips), resolvedMost)]
	return first(ctx, len(ips), func(ctx context.Context, i int) (*quic.Conn, error) {
		return dial(ctx, net.UDPAddrFromAddrPort(netip.AddrPortFrom(ips[i].Unmap(), uint16(port))))
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

// attempts are the errors of what was tried at once, on one line.
type attempts []error

func (a attempts) Error() string {
	words := make([]string, len(a))
	for i, err := range a {
		words[i] = err.Error()
	}
	return strings.Join(words, "; ")
}

func (a attempts) Unwrap() []error { return a }
