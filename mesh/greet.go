package mesh

import (
	"bytes"
	"errors"
	"time"

	"collie/crypto/identity"
)

// SecretPath is the route on which a lead tells a member the new crew secret.
// It is the one route of a handler that is served to the lead before a link
// counts, because a member that holds the secret before has its hello refused.
const SecretPath = "/crew/v1/secret"

// greet says hello over a link. While the crew secret is replaced each side
// refuses the other for a moment: the lead whoever comes with the secret before,
// and the member its lead once it holds the new one and the lead has yet to hear
// of it. So a hello that is refused is said once more when the secret for that
// peer has changed, and the link lives through the rotation.
func (e *Endpoint) greet(l *link) (hello, error) {
	used := e.secretFor(l.peer)
	h, err := e.sayHello(l, beatTimeout)
	if !errors.Is(err, ErrUnenrolled) {
		return h, err
	}
	changed, stop := e.config.Store.Watch()
	defer stop()
	timer := time.NewTimer(secretTimeout)
	defer timer.Stop()
	for bytes.Equal(e.secretFor(l.peer), used) {
		if !e.expectsSecret(l) {
			return hello{}, err
		}
		select {
		case <-changed:
		case <-l.done():
			return hello{}, err
		case <-timer.C:
			return hello{}, err
		}
	}
	return e.sayHello(l, beatTimeout)
}

// expectsSecret says whether the secret under which a peer is called may change
// in a moment, and lets a lead tell it. A member takes it over the one link that
// it has: a lead with a copied state folder replaces nothing while the one that
// is followed is there.
func (e *Endpoint) expectsSecret(l *link) bool {
	crew := e.config.Store.Crew()
	if crew == nil {
		return false
	}
	if crew.Lead == nil {
		return crew.Owes(l.peer)
	}
	if other := e.registry.inUse(l.peer); other != nil && other != l {
		return false
	}
	l.expect()
	return true
}

func (e *Endpoint) secretFor(fp identity.Fingerprint) []byte {
	if crew := e.config.Store.Crew(); crew != nil {
		return crew.SecretFor(fp)
	}
	return nil
}
