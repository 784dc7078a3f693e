package standby

import (
	"context"
	"errors"
	"sync"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/standby/door"
)

// A tap is one takeover, under way or just carried out.
type tap struct {
	done    chan struct{}
	url     string
	err     error
	ended   time.Time
	decided bool           // this node leads by it, whether its front door is open yet or not
	devices []trust.Device // of the bundle that it was decided with
}

// TakeOver carries out a tap: it asks the lead once more, and every other member
// for how long it has not heard the lead; then it decides, in one change of the
// store, and returns where this machine's front door serves as the lead's. One
// runs at a time, and a tap meanwhile, or within minutes after one that
// succeeded, gets that one's answer. alone goes on when no member could be asked.
//
// Its refusals: door.ErrCold, ErrLeadAlive, ErrLeadSeen, ErrNoWitness,
// ErrSuperseded, ErrNotStored, api.ErrAuditUnavailable; after none of them
// anything has changed, here or elsewhere. ErrNotOpen comes after the decision.
func (s *Standby) TakeOver(ctx context.Context, device string, alone bool) (string, error) {
	s.mu.Lock()
	t := s.tap
	if t != nil && !s.forgotten(t) {
		s.mu.Unlock()
		select {
		case <-t.done:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		if t.decided && t.err != nil { // the front door did not open then
			return s.opening(ctx)
		}
		return t.url, t.err
	}
	t = &tap{done: make(chan struct{})}
	s.tap = t
	s.mu.Unlock()
	url, err := s.carryOut(ctx, t, device, alone)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.url, t.err, t.ended = url, err, s.Now()
	close(t.done)
	return url, err
}

// forgotten says whether a tap is answered no more: it failed, or it was long
// ago, or this node does not lead by it. s.mu is held.
func (s *Standby) forgotten(t *tap) bool {
	select {
	case <-t.done:
	default:
		return false
	}
	crew := s.Store.Crew()
	return t.err != nil && !t.decided || s.Now().Sub(t.ended) > tapMemory || crew == nil || crew.Role != trust.RoleLead
}

// carryOut is the procedure of TakeOver.
func (s *Standby) carryOut(ctx context.Context, t *tap, device string, alone bool) (string, error) {
	b, err := s.ready()
	if err != nil {
		return "", err
	}
	node, crew := b.node, b.crew
	began := s.Now()
	if err := s.askLead(ctx, node, crew); err != nil {
		return "", err
	}
	if err := s.askWitnesses(ctx, node, crew, alone); err != nil {
		return "", err
	}
	if err := s.audit(Entry{Action: "crew.takeover", Member: crew.Lead.ID, Device: device, Via: "phone", Outcome: "accepted"}); err != nil {
		return "", err
	}
	if err := s.decide(b, began); err != nil {
		_ = s.audit(Entry{Action: "crew.takeover", Member: crew.Lead.ID, Device: device, Via: "phone", Outcome: "refused"}) // it has been refused already
		return "", err
	}
	s.Log.Warn("this machine leads now", "after", crew.Lead.ID, "device", device, "generation", s.Store.Crew().Generation)
	_ = s.audit(Entry{Action: "crew.takeover", Member: crew.Lead.ID, Device: device, Via: "phone", Outcome: "done"}) // what is decided counts
	s.mu.Lock()
	t.decided, t.devices = true, b.bundle.Devices
	s.mu.Unlock()
	s.commit(context.WithoutCancel(ctx), node, crew)
	s.Wake()
	return s.opening(ctx)
}

// opening waits until the front door serves as the lead's.
func (s *Standby) opening(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	url, err := s.Opened(ctx)
	if err != nil {
		s.Log.Error("this machine leads, and its front door is not open yet", "error", err)
		return "", ErrNotOpen.With(err.Error())
	}
	return url, nil
}

// decide is the decision: one change of the store. A call of the lead until then
// cancels it.
func (s *Standby) decide(b ready, began time.Time) error {
	shown, _ := b.crew.Warrant.Said()
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		if old == nil || old.Lead == nil {
			return nil, trust.ErrSolo
		}
		if said, _ := old.Warrant.Said(); said.Generation != shown.Generation {
			return nil, ErrSuperseded
		}
		if s.silence.of(old.Lead.Fingerprint) <= s.Now().Sub(began) {
			return nil, ErrLeadAlive
		}
		return trust.TakeOver(old, b.bundle, b.node.Identity, s.Now())
	})
	var refused *api.Error
	switch {
	case err == nil || errors.As(err, &refused):
		return err
	case errors.Is(err, trust.ErrNotDeputy), errors.Is(err, trust.ErrSuperseded):
		return ErrSuperseded
	}
	s.Log.Error("the takeover could not be stored", "error", err)
	return ErrNotStored.With(err.Error())
}

// askLead asks the lead once, patiently. A try that failed a moment ago counts.
func (s *Standby) askLead(ctx context.Context, node Node, crew *trust.Crew) error {
	s.mu.Lock()
	fresh := !s.failed.IsZero() && s.Now().Sub(s.failed) <= leadPatience
	s.mu.Unlock()
	if fresh {
		return nil
	}
	return s.tryLead(ctx, node, crew, leadPatience)
}

func (s *Standby) tryLead(ctx context.Context, node Node, crew *trust.Crew, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if mesh.Answered(node.Peers.Ask(ctx, leadPeer(crew))) {
		return ErrLeadAlive
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = s.Now()
	return nil
}

// leadPeer is the pinned lead with every address that it may be found at.
func leadPeer(crew *trust.Crew) trust.Peer {
	lead := *crew.Lead
	lead.Addresses = crew.AddressesOf(lead.ID)
	return lead
}

// askAhead asks the silent lead in the background while the door is armed, or
// will be before the answer can be there, so that a tap need not wait for it.
func (s *Standby) askAhead(ctx context.Context, node Node, crew *trust.Crew) {
	if !s.isAsking() {
		return
	}
	s.alone(crew.Lead.Fingerprint, func() { _ = s.tryLead(ctx, node, crew, aheadPatience) }) // what it answers is asked again at the tap
}

func (s *Standby) isAsking() bool {
	_, err := s.readyAfter(max(s.Arm-leadPatience, s.Arm/2))
	return err == nil
}

// A witness is what a member said when it was asked.
type witness struct {
	peer   trust.Peer
	answer TakeoverAnswer
	err    error
}

// askWitnesses asks every other member. It refuses with ErrLeadSeen,
// ErrSuperseded and, unless alone, ErrNoWitness. A member that turns this node
// away because it follows another lead, or knows that it is deputy no more, has
// answered as well.
func (s *Standby) askWitnesses(ctx context.Context, node Node, crew *trust.Crew, alone bool) error {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	peers := crew.Bundle.Witnesses
	answers := make([]witness, len(peers))
	var all sync.WaitGroup
	for i, p := range peers {
		all.Go(func() {
			answers[i].peer = p
			call := TakeoverCall{Phase: PhaseProbe, Warrant: crew.Warrant}
			answers[i].err = node.Peers.Call(ctx, p.Fingerprint, RouteTakeover, call, &answers[i].answer)
		})
	}
	all.Wait()
	least := s.Arm - witnessSlack*s.Beat
	witnesses := 0
	for _, w := range answers {
		var told *mesh.ConflictError
		switch {
		case errors.As(node.Peers.Link(w.peer.Fingerprint).Cause, &told):
			return superseded(w.peer.ID, told.Conflict, crew)
		case w.err != nil:
			s.Log.Info("a member did not say whether it hears the lead", "member", w.peer.ID, "error", w.err)
		case w.answer.Higher != nil:
			if said, _ := w.answer.Higher.Said(); said.Generation > crew.Generation {
				s.takeHigher(node, w)
				return ErrSuperseded.On(w.peer.ID).With("It is " + w.peer.ID + " that holds a newer word of the lead.")
			}
		case time.Duration(w.answer.SilentForMs)*time.Millisecond < least:
			return ErrLeadSeen.On(w.peer.ID).With("It is " + w.peer.ID + " that hears the lead.")
		default:
			witnesses++
		}
	}
	if witnesses == 0 && len(peers) > 0 && !alone {
		return ErrNoWitness
	}
	return nil
}

// superseded is the refusal of a member that has turned this deputy away.
func superseded(id string, told mesh.Conflict, crew *trust.Crew) error {
	if told.Warrant == nil && told.Lead.MemberID != crew.Lead.ID {
		return ErrSuperseded.On(id).With("It is " + id + " that follows another lead, " + told.Lead.MemberID + ".")
	}
	return ErrSuperseded.On(id).With("It is " + id + " that holds a newer word of the lead.")
}

// takeHigher stores a warrant above this deputy's own that a member showed.
func (s *Standby) takeHigher(node Node, w witness) {
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeWarrant(old, *w.answer.Higher, node.Identity.Fingerprint(), s.Now())
	})
	if err != nil && !unsaved(err) {
		s.Log.Warn("a member showed a warrant that does not verify", "member", w.peer.ID, "reason", err)
	}
}

// commit tells the members that are reached right now. The others follow when
// they are.
func (s *Standby) commit(ctx context.Context, node Node, before *trust.Crew) {
	now := s.Store.Crew()
	call := TakeoverCall{Phase: PhaseCommit, Chain: now.Chain, Lead: s.leadOf(now)}
	for _, p := range before.Bundle.Witnesses {
		s.alone(p.Fingerprint, func() {
			ctx, cancel := context.WithTimeout(ctx, callPatience)
			defer cancel()
			if err := node.Peers.Call(ctx, p.Fingerprint, RouteTakeover, call, &TakeoverAnswer{}); err != nil {
				s.Log.Info("a member follows later", "member", p.ID, "error", err)
			}
		})
	}
}

var _ door.Keeper = (*Standby)(nil)
