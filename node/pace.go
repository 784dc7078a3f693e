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

// noteCall is admitCall where somebody waits for the effect: the line is on the disk
// once synced has returned, which is before the answer.
func (n *Node) noteCall(call *control.Call, entry audit.Entry) (synced func() error, err error) {
	if !n.paced(call) {
		return nil, errTooOften
	}
	entry.Outcome = "accepted"
	if synced, err = n.Audit.Add(entry); err != nil {
		return nil, n.unaudited(entry, err)
	}
	return synced, nil
}

func (n *Node) paced(call *control.Call) bool {
	return call.Operator() || n.pace.allow(call.Caller.Pane, n.now())
}

// admitCall is admit for a write that an agent may ask for as well, and ask for
// again and again.
func (n *Node) admitCall(call *control.Call, entry audit.Entry) error {
	if !n.paced(call) {
		return errTooOften
	}
	return n.admit(entry)
}
