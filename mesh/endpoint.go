// Package mesh is the crew link: how two nodes that have pinned each other
// speak, and how a node that holds an invite gets pinned.
//
// A link is one QUIC connection (RFC 9000) with mutual TLS 1.3, over UDP or,
// where that does not pass, in a tunnel: TLS over TCP with the same pins. Who is at the
// other end is the fingerprint of its one certificate, compared in the handshake
// with the pins of the live trust store; a stranger reaches nothing above TLS.
// When a pin goes, its connections are closed at once. Every request proves in
// addition that its sender holds the crew secret, without sending it: the proof
// is bound to the connection, so that it is of no use on another one. What is
// wrong with either answers one and the same bare 401.
//
// Each stream carries one HTTP/1.1 exchange, net/http on both ends, and either
// side opens streams whoever dialled: a member behind NAT that only dials out is
// served like any other. A link counts once a hello was answered on it, because
// a TLS 1.3 dial succeeds before the other side has judged the certificate.
//
// A request that was never sent fails with ErrUnreachable; one whose answer did
// not come fails with ErrNoAnswer and may have been carried out. Nothing is ever
// sent twice.
package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/mesh/internal/netchange"
	"collie/mesh/notify"
	"collie/mesh/trust"
)

// A Config says how a node takes part in its crew. Everything is required but
// what is marked.
type Config struct {
	// Address is where UDP is bound, and TCP if the port is free; DefaultAddress
	// if empty.
	Address  string
	Identity *identity.Identity
	Store    *trust.Store
	// Handler serves the crew routes but for hello. PeerFrom tells it who is
	// calling. It has to return once a request's context ends.
	Handler http.Handler
	// Addresses returns what this node tells its peers, and those who join, about
	// where it can be dialled; optional.
	Addresses func() []string
	// Enrolled is told about every node that was admitted, for the audit log;
	// optional.
	Enrolled func(member trust.Member, from net.Addr)
	// Recipient is that of the age key to which a bundle for this node is sealed;
	// optional.
	Recipient string
	// Called is told of each hello that the lead or a member called, with both
	// factors right, and of the generation that it spoke of, 0 if of none;
	// optional.
	Called func(peer identity.Fingerprint, generation uint64)
	// Conflict is told when a peer answered a hello by saying that it follows
	// another lead. Nothing of that is verified; optional.
	Conflict func(peer identity.Fingerprint, told Conflict)
	// Build is the version of this program; it is reported and refuses nothing.
	Build string
	// ProcessID was drawn at process start. It tells a restarted node from a
	// second one with a copy of its state folder.
	ProcessID string
	// ResetKey is random and stored: with it the peers of a node that was
	// started again notice at their next beat (RFC 9000, section 10.3).
	ResetKey [32]byte
	// Beat is how often each side calls the other's hello, BeatEvery if zero.
	// Nodes of one crew have the same.
	Beat time.Duration
	Now  func() time.Time
	// Uptime is how long the machine has run, asleep or not, whatever its clock was
	// set to; that of the kernel if nil.
	Uptime func() time.Duration
	Rand   io.Reader
	Log    *slog.Logger
	// PacketConn is the socket to use in the place of one on Address; optional.
	// Close closes it. With it nothing is sent or taken over TCP, but through the
	// two that follow.
	PacketConn net.PacketConn
	// TCPListener and DialTCP are used in the place of the system's TCP;
	// optional. Close closes the listener.
	TCPListener net.Listener
	DialTCP     DialFunc
}

// An Endpoint is one node's end of all its links: one UDP socket that both
// listens and dials, and TCP for where UDP does not pass.
type Endpoint struct {
	config    Config
	own       identity.Fingerprint
	registry  *registry
	admission *admission
	door      *door
	enrolling chan struct{} // one element for every enrolment under way
	tls       *tls.Config   // of whoever dials in

	socket    net.PacketConn
	transport *quic.Transport
	listener  *quic.Listener

	tcp          net.Listener // nil if there is none
	tcpErr       error        // why, if there should be one
	tcpAdmission *admission   // apart, so that a flood of one way leaves the other open

	overUDP, anyWay dialer

	streams *streamListener
	server  *http.Server
	client  *http.Transport

	dials dials
	wakes notify.Hub // signals that re-dialling is worth trying now
	moves notify.Hub // signals that this machine's addresses may be others

	ctx      context.Context // ends when the endpoint closes
	cancel   context.CancelFunc
	shutdown func() error   // close, once
	group    sync.WaitGroup // every goroutine, and every exchange that is served
}

// Listen opens a node's socket and serves its crew until Close. The end of ctx
// ends whatever is under way; Close is called all the same.
func Listen(ctx context.Context, config Config) (*Endpoint, error) {
	if config.Identity == nil || config.Store == nil || config.Handler == nil || config.Log == nil ||
		config.Now == nil || config.Rand == nil || config.ProcessID == "" {
		return nil, errors.New("the mesh needs an identity, a store, a handler, a log, a clock, randomness and a process id")
	}
	if config.Address == "" {
		config.Address = DefaultAddress
	}
	if config.Beat == 0 {
		config.Beat = BeatEvery
	}
	if config.Uptime == nil {
		var err error
		if config.Uptime, err = kernelUptime(); err != nil {
			return nil, err
		}
	}
	socket := config.PacketConn
	if socket == nil {
		var err error
		if socket, err = openSocket(config.Address); err != nil {
			return nil, err
		}
	}
	e := &Endpoint{
		config:    config,
		own:       config.Identity.Fingerprint(),
		registry:  newRegistry(config.Store, config.Now, config.Uptime),
		admission: newAdmission(config.Now),
		door:      newDoor(config.Now),
		enrolling: make(chan struct{}, enrollsMost),
		tls:       listenTLS(config.Identity, config.Store, config.Now),
		socket:    socket,
		streams:   newStreamListener(socket.LocalAddr()),

		tcpAdmission: newAdmission(config.Now),
	}
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.shutdown = sync.OnceValue(e.close)
	resetKey := quic.StatelessResetKey(config.ResetKey)
	e.transport = &quic.Transport{
		Conn:                socket,
		StatelessResetKey:   &resetKey,
		VerifySourceAddress: e.admission.mustProve,
		ConnContext:         e.admission.enter,
	}
	err := quietly(func() (err error) {
		e.listener, err = e.transport.Listen(e.tls, quicConfig())
		return err
	})
	if err != nil {
		e.cancel()
		return nil, errors.Join(fmt.Errorf("cannot listen for the crew: %w", err), socket.Close())
	}
	e.server = e.newServer()
	e.client = newClient()
	e.overUDP = overUDP(e.transport)
	e.anyWay = e.overUDP
	if dial := tcpDialer(config.DialTCP, config.PacketConn); dial != nil {
		e.anyWay = withFallback(e.overUDP, overTCP(dial, &e.group))
	}
	e.listenTCP()
	if config.PacketConn == nil {
		e.watchNetwork()
	}
	e.group.Go(e.acceptConnections)
	e.group.Go(e.followPins)
	e.group.Go(e.listen)
	e.group.Go(func() {
		if err := e.server.Serve(e.streams); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			e.config.Log.Error("the crew's HTTP server ended", "error", err)
		}
	})
	return e, nil
}

// Addr returns the address that is bound.
func (e *Endpoint) Addr() net.Addr { return e.socket.LocalAddr() }

// Fallback returns the address on which links over TCP are taken, and nil if
// there is none; err says why.
func (e *Endpoint) Fallback() (addr net.Addr, err error) {
	if e.tcp == nil {
		return nil, e.tcpErr
	}
	return e.tcp.Addr(), nil
}

// Close ends every link and exchange, closes the socket, and returns once
// nothing of the endpoint runs any more. A second call returns what the first
// one did.
func (e *Endpoint) Close() error { return e.shutdown() }

func (e *Endpoint) close() error {
	e.cancel()
	e.registry.shut()
	err := errors.Join(e.listener.Close(), e.streams.Close())
	if e.tcp != nil {
		err = errors.Join(err, e.tcp.Close())
	}
	e.client.CloseIdleConnections()
	e.group.Wait()
	return errors.Join(err, e.server.Close(), e.transport.Close(), e.socket.Close())
}

// acceptConnections takes in those whose handshake is complete.
func (e *Endpoint) acceptConnections() {
	for {
		conn, err := e.listener.Accept(e.ctx)
		if err != nil {
			return // it was closed
		}
		e.admission.leave(conn.Context())
		e.arrive(conn)
	}
}

// arrive takes in a connection that somebody dialled, by its protocol.
func (e *Endpoint) arrive(conn *quic.Conn) {
	switch conn.ConnectionState().TLS.NegotiatedProtocol {
	case ALPNCrew:
		if _, err := e.adopt(conn, false); err != nil {
			e.config.Log.Debug("a crew connection was turned away", "from", conn.RemoteAddr(), "error", err)
		}
	case ALPNEnroll:
		e.group.Go(func() { e.enroll(conn) })
	}
}

// followPins closes the connections of pins that go, and lets the store forget
// what time has ended.
func (e *Endpoint) followPins() {
	changed, stop := e.config.Store.Watch()
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-changed:
		case <-timer.C:
			e.sweep()
		}
		e.registry.judge()
		if at, some := trust.NextSweep(e.config.Store.Crew()); some {
			timer.Reset(max(at.Sub(e.config.Now()), time.Second))
		}
	}
}

// sweep lets the store forget what time has ended.
func (e *Endpoint) sweep() {
	err := e.config.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Sweep(old, e.config.Now()), nil
	})
	if err != nil {
		e.config.Log.Error("cannot store the crew without what has expired", "error", err)
	}
}

// NetworkChanged says that this machine's addresses or routes are others: links
// that it dialled go on from there, once their other ends have heard of it, and
// whoever waits to dial dials now. An endpoint with a socket of its own notices
// by itself.
func (e *Endpoint) NetworkChanged() {
	e.moves.Signal()
	e.Wake()
}

// watchNetwork calls NetworkChanged whenever the kernel says so.
func (e *Endpoint) watchNetwork() {
	watcher, err := netchange.Open()
	if err != nil {
		e.config.Log.Info("changes of the network are noticed at the next beat", "reason", err)
		return
	}
	e.group.Go(func() {
		if err := watcher.Run(e.ctx, e.NetworkChanged); e.ctx.Err() == nil {
			e.config.Log.Warn("changes of the network are no longer noticed at once", "error", err)
		}
	})
}

// Addresses returns where this node tells its peers that it can be dialled.
func (e *Endpoint) Addresses() []string {
	if e.config.Addresses == nil {
		return nil
	}
	return e.config.Addresses()
}

// LinkState returns what is known about the link to a peer.
func (e *Endpoint) LinkState(fp identity.Fingerprint) Link { return e.registry.view(fp) }

// Drop closes the links to a peer for a reason, which both sides show; see the
// named errors. It may be dialled again.
func (e *Endpoint) Drop(fp identity.Fingerprint, reason error) { e.registry.drop(fp, reason) }

// Watch returns a channel that gets a signal when what LinkState says about a
// peer may have changed, but for its times and measures. stop ends it.
func (e *Endpoint) Watch(fp identity.Fingerprint) (changed <-chan struct{}, stop func()) {
	return e.registry.changes.Watch(fp)
}
