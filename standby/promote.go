package standby

import (
	"context"
	"errors"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// Approve lets one member take the lead, once, within trust.ApprovalLife, in
// place of whoever was approved before.
//
// It refuses with ErrDeputyStands what the claim would be refused for.
func (s *Standby) Approve(id string) (trust.Approval, error) {
	if node, crew, err := s.current(); err == nil {
		if m, found := crew.Member(id); found {
			if err := mayEnd(node, crew, m.Fingerprint, s.Now()); err != nil {
				return trust.Approval{}, err
			}
		}
	}
	err := s.change(Entry{Action: "crew.approve", Member: id, Via: "cli"}, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Approve(old, id, s.Now())
	})
	if err != nil {
		return trust.Approval{}, err
	}
	if crew := s.Store.Crew(); crew != nil && crew.Handover != nil {
		return *crew.Handover, nil
	}
	return trust.Approval{}, api.ErrWrongRole
}

// CancelApproval lets nobody take the lead.
func (s *Standby) CancelApproval() error {
	return s.change(Entry{Action: "crew.approve-cancel", Via: "cli"}, trust.CancelApproval)
}

// change makes an audited change that is refused before it is audited if it can
// be.
func (s *Standby) change(e Entry, change func(*trust.Crew) (*trust.Crew, error)) error {
	if _, err := change(s.Store.Crew()); err != nil {
		return err
	}
	return s.audited(e, func() error { return s.Store.Update(change) })
}

// claimed is a member's claim of the lead. An approved one demotes this node in
// one change, and is answered with what that stored; any other gets one and the
// same refusal.
func (s *Standby) claimed(ctx context.Context, from mesh.Peer, in HandoverCall) (HandoverAnswer, error) {
	if len(in.Chain) > 0 || in.Handed != nil {
		return HandoverAnswer{}, api.ErrBadRequest.With("a claim has nothing in it")
	}
	node, crew, err := s.current()
	if err != nil {
		return HandoverAnswer{}, err
	}
	handOver := func(old *trust.Crew) (*trust.Crew, error) {
		devices, err := s.Devices() // as they are in this step: who was revoked before it is not handed over
		if err != nil {
			return nil, err
		}
		return trust.HandOver(old, from.Fingerprint, devices, node.Identity, s.Now())
	}
	if _, err := trust.HandOver(s.Store.Crew(), from.Fingerprint, nil, node.Identity, s.Now()); errors.Is(err, trust.ErrNotApproved) {
		s.Log.Warn("a member claims the lead and is not approved", "member", from.MemberID)
		return HandoverAnswer{}, ErrNotApproved
	} else if errors.Is(err, trust.ErrRestored) {
		return HandoverAnswer{}, api.ErrCrewUnavailable.With(err.Error())
	}
	if node.Peers.Link(from.Fingerprint).Holdings.WarrantGeneration > crew.Generation {
		// It would refuse what an old copy signs, and then nobody would lead.
		s.Wake()
		return HandoverAnswer{}, api.ErrCrewUnavailable.With("the lead's state is an old copy, and it has yet to count on: try again in a moment")
	}
	if err := s.endDeputy(ctx, node, from.Fingerprint); err != nil {
		return HandoverAnswer{}, err
	}
	err = s.audited(Entry{Action: "crew.handover", Member: from.MemberID}, func() error {
		err := s.Store.Update(handOver)
		switch {
		case errors.Is(err, trust.ErrNotApproved):
			return ErrNotApproved
		case errors.Is(err, trust.ErrNotStored):
			s.Log.Error("the crew could not be handed over", "member", from.MemberID, "error", err)
			return api.ErrCannotStore.On(s.Store.Crew().SelfID)
		}
		return err
	})
	if err != nil {
		return HandoverAnswer{}, err
	}
	crew = s.Store.Crew()
	if err != nil || crew == nil || crew.HandedOver == nil { // what is not stored is not handed out
		return HandoverAnswer{}, err
	}
	s.Log.Warn("this machine has handed the crew over", "lead", from.MemberID, "generation", crew.Generation)
	s.Wake()
	return HandoverAnswer{crew.HandedOver}, nil
}

// Promote claims the lead for this member, which the lead has to have approved,
// and returns where the front door serves then. A repeated claim after a lost
// answer gets what was given before. It refuses with ErrNotApproved,
// api.ErrWrongRole and what Peers.Call refuses with.
func (s *Standby) Promote(ctx context.Context) (url string, err error) {
	node, crew, err := s.current()
	if err != nil {
		return "", err
	}
	if crew.Role != trust.RoleMember {
		return "", api.ErrWrongRole.With("only a member can be promoted")
	}
	err = s.audited(Entry{Action: "crew.promote", Member: crew.Lead.ID, Via: "cli"}, func() error {
		calling, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		var answer HandoverAnswer
		if err := node.Peers.Call(calling, crew.Lead.Fingerprint, RouteHandover, HandoverCall{}, &answer); err != nil {
			return err
		}
		if answer.Handed == nil {
			return api.ErrHostAnswer.On(crew.Lead.ID)
		}
		return s.take(*answer.Handed)
	})
	if err != nil {
		return "", err
	}
	return s.opening(ctx)
}

// take makes this member the lead by what its lead has handed over.
func (s *Standby) take(handed trust.Handed) error {
	node, before, err := s.current()
	if err != nil {
		return err
	}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeHandover(old, handed, node.Identity, s.Now())
	})
	if err != nil {
		s.Log.Warn("what was handed over was not taken", "reason", err)
		return refusalOf(err)
	}
	if now := s.Store.Crew(); now != before {
		s.Log.Warn("this machine leads now", "after", leadName(before), "generation", now.Generation)
		_ = s.audit(Entry{Action: "crew.handover", Member: leadName(before), Outcome: "done"}) // what is proven counts
		s.Wake()
	}
	return nil
}

// Force makes this member the lead of a crew of its own. It refuses with
// ErrLeadAlive while the lead answers, and with ErrHasDeputy where a deputy can
// take over.
func (s *Standby) Force(ctx context.Context, found trust.Founding) error {
	node, crew, err := s.current()
	if err != nil {
		return err
	}
	force := func(old *trust.Crew) (*trust.Crew, error) { return trust.Force(old, found, s.Now()) }
	switch _, err := force(crew); {
	case errors.Is(err, trust.ErrHasDeputy):
		return ErrHasDeputy
	case err != nil:
		return err
	}
	asking, cancel := context.WithTimeout(ctx, leadPatience)
	defer cancel()
	if mesh.Answered(node.Peers.Ask(asking, leadPeer(crew))) {
		return ErrLeadAlive
	}
	return s.change(Entry{Action: "crew.force", Member: crew.Lead.ID, Via: "cli"}, force)
}
