package standby

import (
	"context"
	"time"

	"collie/crypto/identity"
	"collie/mesh/trust"
	"collie/node/api"
)

// endDeputy ends the right of the deputy that stands, unless it is the one with a
// fingerprint, and returns nil once it has stored that. Another deputy is named,
// and the crew handed over, only after that: a deputy that has not heard of it
// could take over meanwhile, and two would lead the same generation.
//
// It refuses with ErrDeputyStands when the deputy is not there, before anything
// has changed, and with ErrDeputyUnheard when it went away just now. A command
// that is repeated then goes on without its word, as one after a revocation does.
func (s *Standby) endDeputy(ctx context.Context, node Node, heir identity.Fingerprint) error {
	crew := s.Store.Crew()
	if err := mayEnd(node, crew, heir, s.Now()); err != nil {
		return err
	}
	id, fp, stands := crew.StandingDeputy(s.Now())
	if !stands || fp == heir {
		return nil
	}
	if _, err := trust.RevokeDeputy(crew, node.Identity, s.Now()); err != nil {
		return err
	}
	err := s.audited(Entry{Action: "crew.deputy"}, func() error {
		err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RevokeDeputy(old, node.Identity, s.Now()) })
		if err != nil {
			s.Log.Error("the revocation of the deputy could not be stored", "member", id, "error", err)
			return api.ErrCannotStore.On(crew.SelfID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.Wake() // the others
	deputy, _ := crew.Member(id)
	ctx, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	if err := s.supply(ctx, node, deputy); err != nil || s.confirmed(fp).generation <= crew.Generation {
		s.Log.Warn("the deputy has not confirmed that it is no more", "member", id, "error", err)
		return ErrDeputyUnheard.On(id)
	}
	return nil
}

// EndDeputy is endDeputy before a member is removed, for the deputy alone. One
// that cannot be told is removed all the same, and hears of it when it comes.
func (s *Standby) EndDeputy(ctx context.Context, id string) {
	node, crew, err := s.current()
	if err != nil {
		return
	}
	if deputy, _, stands := crew.StandingDeputy(s.Now()); !stands || deputy != id {
		return
	}
	if err := s.endDeputy(ctx, node, identity.Fingerprint{}); err != nil {
		s.Log.Warn("the deputy that is removed has not confirmed that it is no more", "member", id, "error", err)
	}
}

// mayEnd refuses with ErrDeputyStands while a deputy that is not the heir stands
// and cannot be told that it is no more.
func mayEnd(node Node, crew *trust.Crew, heir identity.Fingerprint, now time.Time) error {
	id, fp, stands := crew.StandingDeputy(now)
	if stands && fp != heir && !node.Peers.Link(fp).Up {
		return ErrDeputyStands.On(id)
	}
	return nil
}

// hearEnds notes which deputies say by now that they know of their end. One that
// was removed has no other way to say so than its answer to a hello.
func (s *Standby) hearEnds(node Node, crew *trust.Crew) {
	for _, e := range crew.Ended {
		if held := s.heldBy(node.Peers.Link(e.Fingerprint), e.Fingerprint).generation; held >= e.Generation {
			s.heardOfEnd(e.Fingerprint, held)
		}
	}
}

// heardOfEnd notes that a peer holds a generation, where this lead waits for it.
func (s *Standby) heardOfEnd(fp identity.Fingerprint, generation uint64) {
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.HeardOfItsEnd(old, fp, generation) })
	if err != nil {
		s.Log.Warn("that a deputy has heard of its end could not be stored", "error", err)
	}
}
