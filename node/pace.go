package node

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

var errTooOften = api.Refusal(http.StatusTooManyRequests, "too_often", "this session does that more often than it may; wait a moment")

// pace keeps count of what participants do. The zero value is ready.
type pace struct {
	mu    sync.Mutex // guards panes
	panes map[string]*rate.Limiter
}

// allow counts one deed of a pane, or says that it has done enough.
func (p *pace) allow(pane string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	limiter := p.panes[pane]
	if limiter == nil {
		p.rest(now)
		limiter = rate.NewLimiter(rate.Every(paceEvery), paceBurst)
		p.panes[pane] = limiter
	}
	return limiter.AllowN(now, 1)
}

// rest makes room by forgetting the panes that may do as much as a new one. There
// are never many others: a pane that is closed has rested soon.
func (p *pace) rest(now time.Time) {
	if p.panes == nil {
		p.panes = map[string]*rate.Limiter{}
	}
	if len(p.panes) < maxPaced {
		return
	}
	for pane, limiter := range p.panes {
		if limiter.TokensAt(now) >= paceBurst {
			delete(p.panes, pane)
		}
	}
}

// notedCall is noted for a write that an agent may ask for as well, and ask for
// again and again.
func (n *Node) notedCall(call *control.Call, entry audit.Entry, do func() error) error {
	if !n.paced(call) {
		return errTooOften
	}
	return n.noted(entry, do)
}

func (n *Node) paced(call *control.Call) bool {
	return call.Operator() || n.pace.allow(call.Caller.Pane, n.now())
}

// admittedCall is Admitted for such a write.
func (n *Node) admittedCall(call *control.Call, entry audit.Entry, do func() error) error {
	if !n.paced(call) {
		return errTooOften
	}
	return n.Admitted(entry, do)
}
