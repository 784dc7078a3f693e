package mesh

import (
	"errors"
	"time"
)

// errQuiet is why a link is shown as down that may come back.
var errQuiet = errors.New("nothing comes over the link")

// A silence is how long nothing came over a link.
type silence struct {
	received uint64    // packets, when they were counted last
	heard    time.Time // when that was more than before
	shown    bool      // as down
}

// listen shows links as down while no packet comes over them, until the endpoint
// is closed. Each beat asks for packets, and so do the times that QUIC sends it
// again, so that silence says that the way is cut, or the other process stands
// still. It looks at counters, of all links at once, and sends nothing: QUIC
// tells nobody when a packet comes, or rather when none does.
func (e *Endpoint) listen() {
	look := time.NewTicker(listenEvery)
	defer look.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-look.C:
			e.registry.listen(time.Now())
		}
	}
}

func (r *registry) listen(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for fp, p := range r.peers {
		if p.current == nil {
			continue
		}
		l, s := p.current, &p.current.silence
		if received := l.conn.ConnectionStats().PacketsReceived; received != s.received || s.heard.IsZero() {
			s.received, s.heard = received, now
		}
		if is := now.Sub(s.heard) >= quietAfter; is != s.shown {
			s.shown = is
			r.hush(p, is)
			r.changes.Signal(fp)
		}
	}
}

// hush shows the link in use as down, or as up again. mu is held.
func (r *registry) hush(p *peer, quiet bool) {
	if quiet {
		r.lost(p, errQuiet, true)
		return
	}
	p.view.Up, p.view.State, p.view.Reason, p.view.Cause = true, StateReachable, "", nil
	p.view.Dialled, p.view.Via, p.view.Since = p.current.dialled, p.current.via, r.now()
}
