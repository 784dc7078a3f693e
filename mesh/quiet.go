package mesh

import (
	"errors"
	"time"
)

// errQuiet is why a link is shown as down that may come back.
var errQuiet = errors.New("nothing comes over the link")

// listen shows a link as down while no packet comes over it, until it is over.
// Each beat asks for packets, and so do the times that QUIC sends it again, so
// that silence says that the way is cut, or the other process stands still. It
// looks at a counter, and sends nothing.
func (e *Endpoint) listen(l *link) {
	look := time.NewTicker(listenEvery)
	defer look.Stop()
	received, heard, quiet := uint64(0), time.Now(), false
	for {
		select {
		case <-l.done():
			return
		case <-look.C:
		}
		if now := l.conn.ConnectionStats().PacketsReceived; now != received {
			received, heard = now, time.Now()
		}
		if is := time.Since(heard) >= quietAfter; is != quiet {
			quiet = is
			e.registry.hush(l, quiet)
		}
	}
}

// hush shows the link in use as down, or as up again.
func (r *registry) hush(l *link, quiet bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[l.peer]
	if p == nil || p.current != l {
		return
	}
	if quiet {
		r.lost(p, errQuiet, true)
	} else {
		p.view.Up, p.view.State, p.view.Reason, p.view.Cause = true, StateReachable, "", nil
		p.view.Dialled, p.view.Via, p.view.Since = l.dialled, l.via, r.now()
	}
	r.changes.Signal(l.peer)
}
