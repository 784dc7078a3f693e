package standby

import (
	"context"
	"errors"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
)

// Run does what is due, from Begin to End, until ctx ends. What it began to tell
// others goes on; see Wait.
func (s *Standby) Run(ctx context.Context, node Node) error {
	s.Begin(node)
	defer s.End()
	changed, stop := s.Store.Watch()
	defer stop()
	for {
		s.Step(ctx)
		pace := s.Beat
		if s.isAsking() {
			pace = askEvery
		}
		due := time.NewTimer(pace)
		select {
		case <-ctx.Done():
			due.Stop()
			return ctx.Err()
		case <-changed:
		case <-s.wake:
		case <-due.C:
		}
		due.Stop()
	}
}

// Step does what the node's role has to do now: at once what is this node's own,
// and in the background, until Wait, what calls others. What fails is due again
// with the next step.
func (s *Standby) Step(ctx context.Context) {
	node, crew, err := s.current()
	if err != nil {
		return
	}
	if err := s.SettleDevices(); err != nil {
		s.Log.Error("the paired devices of another role are not in order yet", "error", err)
	}
	switch crew.Role {
	case trust.RoleLead:
		if err := s.refresh(node, crew); err != nil {
			s.Log.Warn("the warrant was not refreshed", "error", err)
		}
		s.hearEnds(node, s.Store.Crew())
		s.supplyAll(ctx, node, s.Store.Crew())
	case trust.RoleMember:
		s.handOn(ctx, node, crew)
		s.tellAll(ctx, node, crew)
		s.askAhead(ctx, node, crew)
		s.strand(node, crew)
	}
}

// SettleDevices makes the lists of paired devices on the disk those of the role
// that the store says. Until it has done so for a lead, its front door is shut.
func (s *Standby) SettleDevices() error {
	s.settling.Lock()
	defer s.settling.Unlock()
	crew := s.Store.Crew()
	if crew != nil && crew.Role == trust.RoleLead && crew.Inherited != nil {
		if err := s.Adopt(crew.Inherited.Devices); err != nil {
			return err
		}
		if err := s.Store.Update(trust.Adopted); err != nil {
			return err
		}
		crew = s.Store.Crew()
	}
	return s.forget(crew)
}

// forget deletes the lists of roles that have ended, once for each role.
func (s *Standby) forget(crew *trust.Crew) error {
	counts := crew.Devices()
	s.mu.Lock()
	done := s.settled != nil && *s.settled == counts && (crew == nil || !crew.ForgetDevices)
	s.mu.Unlock()
	if done {
		return nil
	}
	if err := s.Forget(crew.StaleDevices()); err != nil {
		return err
	}
	if err := s.Store.Update(trust.Forgotten); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = &counts
	return nil
}

// refresh signs the standing warrant again when it is time and the deputy is
// there: a crew that is well.
func (s *Standby) refresh(node Node, crew *trust.Crew) error {
	said, some := crew.Warrant.Said()
	if !some {
		return nil
	}
	if m, found := crew.Member(said.Deputy); found {
		if !node.Peers.Link(m.Fingerprint).Up {
			return nil
		}
	}
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RefreshWarrant(old, node.Identity, s.Now()) })
	if errors.Is(err, trust.ErrWarrantDead) || errors.Is(err, trust.ErrRestored) {
		return nil // it is named anew, or not; or a member is to be heard first
	}
	return err
}

// handOn brings what was handed over to the new lead, until it has called as
// one: the answer to its claim may be lost.
func (s *Standby) handOn(ctx context.Context, node Node, crew *trust.Crew) {
	if crew.HandedOver == nil {
		return
	}
	if !node.Peers.Link(crew.Lead.Fingerprint).Up {
		return
	}
	s.alone(crew.Lead.Fingerprint, func() {
		ctx, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		err := node.Peers.Call(ctx, crew.Lead.Fingerprint, RouteHandover, HandoverCall{Handed: crew.HandedOver}, &HandoverAnswer{})
		if err != nil {
			s.Log.Info("the new lead has not taken the crew yet", "lead", crew.Lead.ID, "error", err)
		}
	})
}

// tellAll tells the members that follow this former lead still who leads now.
func (s *Standby) tellAll(ctx context.Context, node Node, crew *trust.Crew) {
	call := HandoverCall{Chain: crew.Chain, Lead: s.leadOf(crew)}
	for _, p := range crew.ToTell {
		if !node.Peers.Link(p.Fingerprint).Up {
			continue
		}
		s.alone(p.Fingerprint, func() {
			ctx, cancel := context.WithTimeout(ctx, callPatience)
			defer cancel()
			if err := node.Peers.Call(ctx, p.Fingerprint, RouteHandover, call, &HandoverAnswer{}); err != nil {
				s.Log.Info("a member has not heard yet who leads", "member", p.ID, "error", err)
				return
			}
			s.toldOf(p)
		})
	}
}

// toldOf notes that a member knows who leads now.
func (s *Standby) toldOf(p trust.Peer) {
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Told(old, p.Fingerprint) })
	if err != nil {
		s.Log.Warn("that a member knows who leads could not be stored", "member", p.ID, "error", err)
	}
}

// strand parks a former lead that its new lead turns away because the secret was
// replaced meanwhile, and has never answered otherwise as its lead.
func (s *Standby) strand(node Node, crew *trust.Crew) {
	link := node.Peers.Link(crew.Lead.Fingerprint)
	s.mu.Lock()
	switch turned := link.State == mesh.StateUnenrolled && !link.SeenAt.After(s.began) && len(crew.Chain) > 0; {
	case !turned:
		s.turned = time.Time{}
	case s.turned.IsZero():
		s.turned = s.Now()
	}
	due := !s.turned.IsZero() && s.Now().Sub(s.turned) >= strandAfter
	s.mu.Unlock()
	own, err := certificateOf(node)
	if !due || err != nil {
		return
	}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Strand(old, own) })
	if err == nil || unsaved(err) {
		s.Log.Warn("this former lead was turned away: the secret was replaced while it was away", "lead", crew.Lead.ID)
	}
}

// leadOf says who leads a crew and where it is.
func (s *Standby) leadOf(crew *trust.Crew) mesh.ConflictLead {
	if crew.Lead == nil {
		return mesh.ConflictLead{MemberID: crew.SelfID, Label: crew.SelfLabel, Addresses: s.Addresses()}
	}
	return mesh.ConflictLead{MemberID: crew.Lead.ID, Label: crew.Lead.Label, Addresses: crew.AddressesOf(crew.Lead.ID)}
}
