package mesh

import (
	"context"
	"errors"
	"time"

	"github.com/quic-go/quic-go"
)

// adopt takes in a connection of either side, whose handshake is complete, and
// tends it. The caller learns from settled whether it counts.
func (e *Endpoint) adopt(conn *quic.Conn, dialled bool) (*link, error) {
	l := newLink(conn, dialled)
	state := conn.ConnectionState().TLS
	var err error
	if l.peer, err = peerFingerprint(state); err == nil {
		l.binding, err = bindingOf(state)
	}
	if err == nil {
		err = e.registry.enter(l, func() {
			e.group.Go(func() { e.acceptStreams(l) })
			e.group.Go(func() { e.tend(l) })
		})
	}
	if err != nil {
		l.close(err)
		return nil, err
	}
	return l, nil
}

// tend is the life of one link: a hello that is answered makes it count, a beat
// every few seconds shows that it lives, and when it is over the reason is noted.
func (e *Endpoint) tend(l *link) {
	err := e.begin(l)
	beat := time.NewTicker(e.config.Beat)
	defer beat.Stop()
	moved, stop := e.moved(l)
	defer stop()
	for missed := 0; err == nil; {
		select {
		case <-l.done():
			err = explain(context.Cause(l.conn.Context()))
			continue
		case <-beat.C:
		case <-moved:
		}
		h, beatErr := e.greet(l)
		switch {
		case beatErr == nil:
			missed = 0
			e.registry.beat(l, h)
			e.learn(l, h)
		case errors.Is(beatErr, ErrMissedBeats):
			if missed++; missed >= missedBeats {
				err = beatErr
			}
		default:
			err = beatErr
		}
	}
	told := (*ConflictError)(nil)
	if errors.As(err, &told) && e.config.Conflict != nil {
		e.config.Conflict(l.peer, told.Conflict)
	}
	if errors.Is(err, errSurplus) {
		e.registry.retire(l)
		<-l.done()
	}
	switch {
	case errors.Is(err, ErrUnenrolled):
		e.letHear(l, Allegiance{})
	case told != nil:
		e.letHear(l, Allegiance{Lead: told.Conflict.Lead.MemberID})
	}
	l.close(err)
	e.registry.forget(l, err)
	e.config.Log.Debug("a link to a crew node is over", "peer", l.peer, "dialled", l.dialled, "reason", err)
}

// letHear leaves a link to a peer that has to be told who leads until its own
// hello was answered with that, upon which it ends the link. It may hold a secret
// of another time, or follow another lead, and so have refused this side's hello
// first. says is what it has said.
func (e *Endpoint) letHear(l *link, says Allegiance) {
	if _, tell := ConflictFor(e.config.Store.Crew(), l.peer, says, nil); !tell {
		return
	}
	patience := time.NewTimer(beatTimeout)
	defer patience.Stop()
	select {
	case <-l.done():
	case <-patience.C:
	}
}

// moved signals when the other end of a link may not know any more where this one
// is. Only a QUIC client can go on from another address (RFC 9000, section 9),
// and it need do no more than send: the socket is bound to no address, so the
// kernel picks the new one, and the other end follows once it has probed it.
func (e *Endpoint) moved(l *link) (moved <-chan struct{}, stop func()) {
	if !l.dialled || l.via != viaQUIC {
		return nil, func() {}
	}
	return e.moves.Watch()
}

// begin makes a link count, or says why it does not.
func (e *Endpoint) begin(l *link) error {
	h, err := e.greet(l)
	if err != nil {
		return err
	}
	err = e.registry.admit(l, h, func(old *link) bool {
		_, err := e.sayHello(old, probeTimeout)
		return err == nil
	})
	if err == nil {
		e.learn(l, h)
	}
	return err
}
