package mesh

import (
	"context"
	"errors"
	"sync"

	"collie/crypto/identity"
)

// dials are those that are under way, one for each peer, so that two who want a
// link to the same peer at once do not make two.
type dials struct {
	mu  sync.Mutex // guards now
	now map[identity.Fingerprint]*dialUnderWay
}

type dialUnderWay struct {
	over chan struct{} // closed once err is there
	err  error
}

// once dials a peer, or takes part in the dial that is under way, unless who
// began that one gives it up.
func (d *dials) once(ctx context.Context, fp identity.Fingerprint, dial func() error) error {
	for {
		own := &dialUnderWay{over: make(chan struct{})}
		other := d.begin(fp, own)
		if other == nil {
			own.err = dial()
			d.end(fp)
			close(own.over)
			return own.err
		}
		select {
		case <-other.over:
			if !errors.Is(other.err, context.Canceled) {
				return other.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin enters a dial unless there is another one, which it returns.
func (d *dials) begin(fp identity.Fingerprint, own *dialUnderWay) (other *dialUnderWay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if other := d.now[fp]; other != nil {
		return other
	}
	if d.now == nil {
		d.now = map[identity.Fingerprint]*dialUnderWay{}
	}
	d.now[fp] = own
	return nil
}

func (d *dials) end(fp identity.Fingerprint) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.now, fp)
}
