package mesh

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"collie/crypto/identity"
	"collie/mesh/notify"
	"collie/mesh/trust"
)

// registry holds every open connection to a pinned peer, and which one of each
// peer is in use. A connection is a candidate until its hello was answered.
type registry struct {
	store  *trust.Store
	now    func() time.Time
	uptime func() time.Duration

	changes notify.Topics[identity.Fingerprint] // signals whatever state of a peer can be asked for

	// mu guards what follows and the marked fields of links. Pin changes take
	// it to close connections, so that a connection is either entered before
	// and closed, or judged by the new pins when it is entered.
	mu     sync.Mutex
	peers  map[identity.Fingerprint]*peer
	closed bool
}

// peer is what is known about one fingerprint.
type peer struct {
	links    map[*link]bool // open ones
	current  *link          // the one in use, or nil
	view     Link           // but for what is asked of the connection itself
	seenUp   time.Duration  // what uptime was at view.SeenAt
	learning *rate.Limiter  // of what it claims about itself and its crew
	// conflictedUntil is when a second process under the pin is forgotten.
	conflictedUntil time.Time
	grade           trust.Grade // when a connection was last entered, or the pins were last judged
}

func newRegistry(store *trust.Store, now func() time.Time, uptime func() time.Duration) *registry {
	return &registry{store: store, now: now, uptime: uptime, peers: map[identity.Fingerprint]*peer{}}
}

// of returns the entry of a peer. r.mu is held.
func (r *registry) of(fp identity.Fingerprint) *peer {
	p := r.peers[fp]
	if p == nil {
		p = &peer{links: map[*link]bool{}, learning: rate.NewLimiter(rate.Every(learnEvery), learnBurst), view: Link{State: StateUnreachable, Reason: "not connected yet", Since: r.now()}}
		r.peers[fp] = p
	}
	return p
}

// enter takes a connection in as a candidate, once its peer's pin was judged
// again under the lock, and then calls start.
func (r *registry) enter(l *link, start func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	grade := r.store.Crew().Grade(l.peer)
	if grade == trust.GradeNone {
		return ErrRevoked
	}
	p := r.of(l.peer)
	if p.grade != trust.GradeLead { // of which a connection is left, perhaps
		p.grade = grade
	}
	if len(p.links) >= maxLinks {
		return ErrBusy
	}
	p.links[l] = true
	start()
	return nil
}

// admit makes a candidate whose hello was answered the link in use, or says why
// it is not: ErrDuplicate, errSurplus, ErrRevoked. probe asks whether another
// link still answers.
func (r *registry) admit(l *link, h hello, probe func(*link) bool) error {
	for {
		old, err := r.tryAdmit(l, h)
		switch {
		case old == nil:
			return err
		case !probe(old):
			old.close(errSurplus)
			r.forget(old, errors.New("the node was started again, or QUIC found no way any more"))
		case errors.Is(err, ErrDuplicate):
			r.conflict(l.peer)
			return err
		default:
			r.spare(l)
			return err
		}
	}
}

// tryAdmit admits a candidate or says why not. If that hangs on whether another
// link is alive, it returns that one as well.
func (r *registry) tryAdmit(l *link, h hello) (ifAlive *link, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[l.peer]
	if p == nil || !p.links[l] {
		return nil, ErrRevoked
	}
	l.processID = h.ProcessID
	old := p.current
	switch {
	case old == nil:
	case old.processID != l.processID:
		// Another process had this pin before. It was started again, unless it
		// lives still: then one identity is in two places.
		return old, ErrDuplicate
	case old.via == viaQUIC && l.via == viaTCP:
		// Nobody turns to TCP for whom QUIC goes on.
		return old, errSurplus
	case !r.preferred(l, old):
		r.settle(l)
		return nil, errSurplus
	default:
		r.retire(old)
	}
	p.current = l
	p.view = Link{Up: true, State: StateReachable, Since: r.now(), Dialled: l.dialled, Via: l.via, CalledAt: p.view.CalledAt}
	r.see(p, h)
	r.settle(l)
	r.changes.Signal(l.peer)
	return nil, nil
}

// verdict returns why a settled link does not count, or nil if it does.
func (r *registry) verdict(l *link) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return l.over
}

// spare lets the exchanges of a surplus link begin: its other end may have begun
// some before it learns.
func (r *registry) spare(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(l)
}

// settle lets the exchanges of a link begin. r.mu is held.
func (r *registry) settle(l *link) {
	if !l.isSettled {
		l.isSettled = true
		close(l.settled)
	}
}

// preferred says whether a new link replaces another one to the same process:
// QUIC wins over TCP; then the one that the member dialled, because only a QUIC
// client can migrate; of two from one side the newer, because nobody dials who
// has a link. So both ends choose the same. r.mu is held.
func (r *registry) preferred(l, old *link) bool {
	if l.via != old.via {
		return l.via == viaQUIC
	}
	if l.dialled == old.dialled {
		return true
	}
	grade := r.store.Crew().Grade(l.peer)
	return l.dialled == (grade == trust.GradeLead || grade == trust.GradeDeputy) // then this side is the member
}

// retire lets the exchanges of a surplus link end and then closes it.
func (r *registry) retire(l *link) {
	timer := time.AfterFunc(retireTimeout, func() { l.close(errSurplus) })
	context.AfterFunc(l.conn.Context(), func() { timer.Stop() })
}

// conflict notes a second process under a pin.
func (r *registry) conflict(fp identity.Fingerprint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of(fp).conflictedUntil = r.now().Add(conflictMemory)
	r.changes.Signal(fp)
}

// see notes an answered hello. r.mu is held.
func (r *registry) see(p *peer, h hello) {
	p.view.SeenAt, p.seenUp = r.now(), r.uptime()
	if h.Clock != 0 {
		p.view.ClockAhead = time.UnixMilli(h.Clock).Sub(p.view.SeenAt)
	}
	p.view.MemberID, p.view.Build, p.view.Holdings = h.MemberID, h.Build, h.Holdings
}

// beat notes an answered hello on the link in use.
func (r *registry) beat(l *link, h hello) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[l.peer]; p != nil && p.current == l {
		r.see(p, h)
	}
}

// mayLearn says whether a peer's claims may be stored now.
func (r *registry) mayLearn(fp identity.Fingerprint) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of(fp).learning.AllowN(r.now(), 1)
}

// called notes that a peer called hello with both factors.
func (r *registry) called(fp identity.Fingerprint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of(fp).view.CalledAt = r.now()
}

// forget drops a link that is over, and notes why if it leaves the peer without
// one.
func (r *registry) forget(l *link, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.over = reason
	r.settle(l)
	p := r.peers[l.peer]
	if p == nil || !p.links[l] {
		return
	}
	delete(p.links, l)
	wasCurrent := p.current == l
	if wasCurrent {
		p.current = nil
	}
	if wasCurrent || p.current == nil && !errors.Is(reason, errSurplus) {
		r.lost(p, reason, wasCurrent)
	}
	r.changes.Signal(l.peer)
}

// failed notes why a dial led to no link.
func (r *registry) failed(fp identity.Fingerprint, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.of(fp); p.current == nil {
		p.view.FailedAt = r.now()
		r.lost(p, reason, false)
		r.changes.Signal(fp)
	}
}

// lost sets the view of a peer without a link. r.mu is held.
func (r *registry) lost(p *peer, reason error, changed bool) {
	var mismatch *MismatchError
	var conflict *ConflictError
	state := StateUnreachable
	switch {
	case errors.As(reason, &mismatch):
		state = StateIncompatible
	case errors.Is(reason, ErrUnenrolled):
		state = StateUnenrolled
	case errors.Is(reason, ErrDuplicate), errors.As(reason, &conflict):
		state = StateConflicted
	}
	p.view.Up, p.view.Dialled, p.view.Via = false, false, ""
	p.view.State, p.view.Reason, p.view.Cause = state, reason.Error(), reason
	if changed {
		p.view.Since = r.now()
	}
}

// inUse returns the link to a peer, or nil.
func (r *registry) inUse(fp identity.Fingerprint) *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[fp]; p != nil {
		return p.current
	}
	return nil
}

// view returns what is known about the link to a peer.
func (r *registry) view(fp identity.Fingerprint) Link {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[fp]
	if p == nil {
		return Link{State: StateUnreachable, Reason: "not connected yet"}
	}
	view := p.view
	if p.current != nil {
		view.RTT = p.current.conn.ConnectionStats().SmoothedRTT
	}
	if r.now().Before(p.conflictedUntil) {
		view.State, view.Reason, view.Cause = StateConflicted, ErrDuplicate.Error(), ErrDuplicate
	}
	if !view.SeenAt.IsZero() {
		view.PeerNow = view.SeenAt.Round(0).Add(view.ClockAhead).Add(r.uptime() - p.seenUp)
	}
	return view
}

// judge closes every connection whose pin is gone, or is the lead's no more, or
// is kept only for who has to be told that it is a deputy no more.
func (r *registry) judge() {
	r.mu.Lock()
	defer r.mu.Unlock()
	crew := r.store.Crew()
	for fp, p := range r.peers {
		grade := crew.Grade(fp)
		before := p.grade
		p.grade = grade
		led := before == trust.GradeLead && grade != trust.GradeLead // it has exchanges open that only a lead may have
		ended := grade == trust.GradeEnded && before != trust.GradeEnded
		if grade != trust.GradeNone && !led && !ended {
			continue
		}
		for l := range p.links {
			l.close(ErrRevoked)
			l.over = ErrRevoked
			r.settle(l)
		}
		delete(r.peers, fp)
		r.changes.Signal(fp)
	}
}

// drop closes every connection to a peer for a reason.
func (r *registry) drop(fp identity.Fingerprint, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[fp]; p != nil {
		for l := range p.links {
			l.close(reason)
		}
	}
}

// shut closes every connection and lets none in any more.
func (r *registry) shut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, p := range r.peers {
		for l := range p.links {
			l.close(ErrClosed)
			l.over = ErrClosed
			r.settle(l)
		}
	}
}
