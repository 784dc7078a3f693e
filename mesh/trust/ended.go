package trust

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/identity"
)

// An Ended is a deputy that is one no more, and may not have heard of that. It
// is pinned to be told, whatever it calls, and for nothing else: what it was
// given has a word of the same lead above it.
type Ended struct {
	Peer
	// Generation is the one of the warrant, or of the change of lead, that ended it.
	Generation uint64 `json:"generation"`
	// Until is when its own warrant is dead, by which it could take over until then.
	Until time.Time `json:"until"`
}

// ended returns a list of deputies that are no more with one added, and without
// an earlier entry of it. A full list drops the one that it has longest.
func ended(list []Ended, e Ended) []Ended {
	rest := slices.DeleteFunc(slices.Clone(list), func(other Ended) bool {
		return other.Fingerprint == e.Fingerprint || other.ID == e.ID
	})
	rest = append(rest, e)
	return rest[max(0, len(rest)-maxEnded):]
}

// endStanding notes on next, which is nobody else's yet, that the deputy of c is
// one no more. pin is who that is; nil is nobody.
func (c *Crew) endStanding(next *Crew, pin *Peer, generation uint64) {
	said, some := c.Warrant.Said()
	if !some || pin == nil || pin.Fingerprint != said.DeputyFingerprint || pin.ID == c.SelfID {
		return
	}
	next.Ended = ended(c.Ended, Ended{Peer: *pin, Generation: generation, Until: toStored(said.RefreshedAt.Add(WarrantLife))})
}

// PlainWarrant returns the warrant that stands, as one who is out of the crew
// may see it: it does not say where the deputy is. Nil is none.
func (c *Crew) PlainWarrant() *Warrant {
	w, some := c.StandingWarrant()
	if c.Role == RoleMember && c.Warrant != nil {
		w, some = Warrant{Signed: c.Warrant.Signed, Deputy: c.Warrant.Deputy}, true
	}
	if !some {
		return nil
	}
	if w.Deputy != nil {
		plain := *w.Deputy
		plain.Addresses = nil
		w.Deputy = &plain
	}
	return &w
}

// endOf returns the generation in which a deputy ended that may not have heard of
// it, or 0.
func (c *Crew) endOf(fp identity.Fingerprint) uint64 {
	for _, e := range c.Ended {
		if e.Fingerprint == fp {
			return e.Generation
		}
	}
	return 0
}

// HasHeard says whether a peer that speaks of a generation knows by that, at a
// member, that it is deputy no more. A lead takes only what such a peer says that
// it holds: one that has taken over speaks of the same generation.
func (c *Crew) HasHeard(fp identity.Fingerprint, generation uint64) bool {
	end := c.endOf(fp)
	return c.Role == RoleMember && end > 0 && generation >= end
}

// HeardOfItsEnd notes that a deputy which was ended has confirmed to hold a
// generation. It returns old itself where that says nothing new.
func HeardOfItsEnd(old *Crew, fp identity.Fingerprint, generation uint64) (*Crew, error) {
	if old == nil {
		return nil, ErrSolo
	}
	i := slices.IndexFunc(old.Ended, func(e Ended) bool { return e.Fingerprint == fp && e.Generation <= generation })
	if i < 0 {
		return old, nil
	}
	next := old.clone()
	next.Ended = slices.Delete(slices.Clone(old.Ended), i, i+1)
	return next, nil
}

// over says that a deputy's warrant is dead by now, so that it takes over no
// more.
func (e Ended) over(now time.Time) bool { return !now.Before(e.Until) }

// checkEnded refuses a list that no crew can have.
func (c *Crew) checkEnded() error {
	if len(c.Ended) > maxEnded {
		return fmt.Errorf("%d of them, the most is %d", len(c.Ended), maxEnded)
	}
	var peers []Peer
	for _, e := range c.Ended {
		if e.Generation == 0 || e.Generation > c.Generation || e.Until.IsZero() {
			return errors.New("one that ended in the future, or never")
		}
		peers = append(peers, e.Peer)
	}
	return c.checkPeers(peers)
}
