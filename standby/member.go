package standby

import (
	"context"
	"errors"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// warranted takes the warrant that the lead brings, or says which one is held.
// The lead has shown itself by its pin and by what it signed before, so that it
// may be told of a higher one; it needs that when its state is an old copy.
func (s *Standby) warranted(_ context.Context, from mesh.Peer, in WarrantCall) (WarrantAnswer, error) {
	node, before, err := s.current()
	if err != nil {
		return WarrantAnswer{}, err
	}
	if in.Warrant == nil {
		return WarrantAnswer{Held: before.Warrant}, nil
	}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeWarrant(old, *in.Warrant, node.Identity.Fingerprint(), s.Now())
	})
	switch {
	case err == nil || unsaved(err):
		if now := s.Store.Crew(); now != before {
			s.Log.Info("the lead's word on its deputy was taken", "generation", now.Generation)
			s.Wake()
		}
		return WarrantAnswer{Stored: err == nil}, nil
	case errors.Is(err, trust.ErrSuperseded), errors.Is(err, trust.ErrRevoked), errors.Is(err, trust.ErrReplayed):
		return WarrantAnswer{Held: before.Warrant}, nil // signed, so it may know
	}
	s.Log.Warn("a warrant was refused", "from", from.MemberID, "reason", err)
	return WarrantAnswer{}, refusalOf(err)
}

// refusalOf gives what is wrong with a statement its stable code. It does not
// say which check failed: that is in the log of who made it.
func refusalOf(err error) error {
	switch {
	case errors.Is(err, trust.ErrEquivocation):
		return ErrEquivocation
	case errors.Is(err, trust.ErrNotDeputy):
		return ErrNotDeputy
	case errors.As(err, new(*trust.UnsavedError)):
		return err
	case errors.Is(err, trust.ErrNotStored):
		return api.ErrCannotStore
	}
	return ErrStatement
}

// bundled takes the bundle that the lead brings to its deputy.
func (s *Standby) bundled(_ context.Context, from mesh.Peer, in BundleCall) (BundleAnswer, error) {
	node, _, err := s.current()
	if err != nil {
		return BundleAnswer{}, err
	}
	key, err := s.Key()
	if err != nil {
		return BundleAnswer{}, err
	}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeBundle(old, in.Sealed, key, node.Identity.Fingerprint())
	})
	held := s.Store.Crew()
	if (err == nil || errors.Is(err, trust.ErrBundleOld)) && held != nil && held.Bundle != nil {
		return BundleAnswer{held.Bundle.Counter}, nil
	}
	s.Log.Warn("a bundle was refused", "from", from.MemberID, "reason", err)
	return BundleAnswer{}, refusalOf(err)
}

// askedByDeputy answers the deputy of the warrant that is held. At a deputy it
// answers whoever shows an older warrant, too, and only with the newer one.
func (s *Standby) askedByDeputy(_ context.Context, from mesh.Peer, in TakeoverCall) (TakeoverAnswer, error) {
	switch in.Phase {
	case PhaseProbe:
		return s.probed(from, in)
	case PhaseCommit:
		if from.Grade != trust.GradeDeputy {
			return TakeoverAnswer{}, ErrNotDeputy
		}
		err := s.obey(from, in)
		if err != nil {
			return TakeoverAnswer{}, refusalOf(err)
		}
		return TakeoverAnswer{Following: true}, nil
	}
	return TakeoverAnswer{}, api.ErrBadRequest.With("no such phase")
}

// probed says for how long this member's lead has been silent. It changes
// nothing.
func (s *Standby) probed(from mesh.Peer, in TakeoverCall) (TakeoverAnswer, error) {
	node, crew, err := s.current()
	if err != nil {
		return TakeoverAnswer{}, err
	}
	if in.Warrant == nil {
		return TakeoverAnswer{}, api.ErrBadRequest.With("a probe shows its warrant")
	}
	err = trust.Probe(crew, *in.Warrant, from.Fingerprint, node.Identity.Fingerprint(), s.Now())
	if errors.Is(err, trust.ErrSuperseded) || errors.Is(err, trust.ErrRevoked) {
		s.Log.Warn("the deputy before asked to take over", "member", from.MemberID)
		return TakeoverAnswer{Higher: crew.Warrant}, nil
	}
	if err != nil {
		s.Log.Warn("a takeover was refused here", "member", from.MemberID, "reason", err)
		return TakeoverAnswer{}, refusalOf(err)
	}
	silent := s.silence.of(crew.Lead.Fingerprint)
	_ = s.audit(Entry{Action: "crew.takeover.probe", Member: from.MemberID, What: silent.String(), Outcome: "done"}) // asked is asked; it changes nothing
	return TakeoverAnswer{SilentForMs: silent.Milliseconds()}, nil
}

// handed is what the pinned lead, or a former one, says about who leads: see
// HandoverCall.
func (s *Standby) handed(_ context.Context, from mesh.Peer, in HandoverCall) (HandoverAnswer, error) {
	switch {
	case in.Handed != nil:
		return HandoverAnswer{}, s.take(*in.Handed)
	case len(in.Chain) > 0:
		if err := s.follow(from.MemberID, in.Chain, in.Lead); err != nil {
			return HandoverAnswer{}, refusalOf(err)
		}
		return HandoverAnswer{}, nil
	}
	// The new lead claims once more what it was given.
	crew := s.Store.Crew()
	if crew == nil || crew.HandedOver == nil {
		return HandoverAnswer{}, ErrNotApproved
	}
	return HandoverAnswer{crew.HandedOver}, nil
}

// follow makes this member follow a chain, whoever shows it.
func (s *Standby) follow(from string, chain []trust.Change, lead mesh.ConflictLead) error {
	return s.repin(from, lead, func(old *trust.Crew, hint trust.Hint, own identity.Fingerprint) (*trust.Crew, error) {
		return trust.Follow(old, chain, hint, own)
	})
}

// obey makes this member follow the deputy that brings its takeover, if the
// warrant is live.
func (s *Standby) obey(from mesh.Peer, in TakeoverCall) error {
	return s.repin(from.MemberID, in.Lead, func(old *trust.Crew, hint trust.Hint, own identity.Fingerprint) (*trust.Crew, error) {
		return trust.Obey(old, in.Chain, hint, from.Fingerprint, own, s.Now())
	})
}

// repin changes whom this member follows.
func (s *Standby) repin(from string, lead mesh.ConflictLead, change func(*trust.Crew, trust.Hint, identity.Fingerprint) (*trust.Crew, error)) error {
	node, before, err := s.current()
	if err != nil {
		return err
	}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return change(old, trust.Hint{Label: lead.Label, Addresses: lead.Addresses}, node.Identity.Fingerprint())
	})
	now := s.Store.Crew()
	if err != nil && !unsaved(err) {
		s.Log.Warn("a chain of leads was refused", "from", from, "names", lead.MemberID, "reason", err)
		return err
	}
	if now != nil && now.Lead != nil && (before.Lead == nil || now.Lead.Fingerprint != before.Lead.Fingerprint) {
		s.Log.Info("this member follows another lead", "lead", now.Lead.ID, "generation", now.Generation)
		_ = s.audit(Entry{Action: "crew.follow", Member: now.Lead.ID, Outcome: "done"}) // what is proven counts
		s.Wake()
	}
	return err
}

// Conflicted is for a peer that says that it follows another lead. A lead that
// is shown its own word against itself is deposed by it; a member follows what
// it can verify; what does not verify changes nothing.
func (s *Standby) Conflicted(peer string, told mesh.Conflict) {
	node, crew, err := s.current()
	if err != nil {
		return
	}
	if crew.Role == trust.RoleMember {
		if len(told.Chain) > 0 || told.Warrant == nil {
			s.followedOrTold(peer, told, crew)
		}
		if told.Warrant != nil {
			s.hearEnd(node, peer, *told.Warrant)
		}
		return
	}
	if crew.Role != trust.RoleLead {
		return
	}
	own, err := certificateOf(node)
	if err != nil {
		return
	}
	hint := trust.Hint{Label: told.Lead.Label, Addresses: told.Lead.Addresses}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Depose(old, told.Chain, hint, own) })
	if err != nil && !unsaved(err) {
		s.Log.Warn("a member says that another machine leads, which is not proven", "member", peer, "names", told.Lead.MemberID, "generation", told.Generation, "reason", err)
		return
	}
	now := s.Store.Crew()
	s.Log.Warn("this machine leads no more", "lead", leadName(now), "by", peer, "stored", err == nil)
	_ = s.audit(Entry{Action: "crew.depose", Member: leadName(now), Outcome: "done"}) // what is proven counts
	s.Wake()
}

// followedOrTold is Conflicted on a member: the chain leads on, or the peer knows
// already what this former lead was to tell it.
func (s *Standby) followedOrTold(peer string, told mesh.Conflict, crew *trust.Crew) {
	if len(told.Chain) > 0 && crew.Lead != nil {
		last := told.Chain[len(told.Chain)-1]
		if last.Generation() == crew.LeadSince() {
			for _, p := range crew.ToTell {
				if p.ID == peer {
					s.toldOf(p)
				}
			}
			return
		}
	}
	_ = s.follow(peer, told.Chain, told.Lead) // it says why not in the log
}

// hearEnd takes the warrant of this member's lead that a peer shows to one who is
// deputy no more.
func (s *Standby) hearEnd(node Node, peer string, w trust.Warrant) {
	before := s.Store.Crew()
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeWarrant(old, w, node.Identity.Fingerprint(), s.Now())
	})
	switch now := s.Store.Crew(); {
	case err != nil && !unsaved(err):
		s.Log.Warn("a member showed a warrant that does not verify, or says nothing new", "member", peer, "reason", err)
	case now != before:
		s.Log.Warn("this machine is deputy no more", "by", peer, "generation", now.Generation)
		_ = s.audit(Entry{Action: "crew.deputy", Member: peer, Outcome: "refused"}) // it is so already
		s.Wake()
	}
}

func leadName(crew *trust.Crew) string {
	if crew == nil || crew.Lead == nil {
		return ""
	}
	return crew.Lead.ID
}
