package standby

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
)

// KeepLinks dials, until ctx ends, those whom neither lead nor member dials: the
// deputy, while the lead has been silent for half the arming time, so that it can
// ask; the other members, from a deputy whose door is about to be armed, because
// the one that hears the lead does not dial; and those whom a former lead has to
// tell.
func (s *Standby) KeepLinks(ctx context.Context, endpoint *mesh.Endpoint) {
	changed, stop := s.Store.Watch()
	defer stop()
	beat := time.NewTicker(s.Beat)
	defer beat.Stop()
	var dialling sync.WaitGroup
	stops := map[identity.Fingerprint]context.CancelFunc{}
	defer func() {
		for _, stop := range stops {
			stop()
		}
		dialling.Wait()
	}()
	for {
		wanted := s.dialled()
		for fp, stop := range stops {
			if !wanted[fp] {
				stop()
				delete(stops, fp)
			}
		}
		for fp := range wanted {
			if stops[fp] != nil {
				continue
			}
			each, stop := context.WithCancel(ctx)
			stops[fp] = stop
			dialling.Go(func() {
				if !pause(each, s.jitter(fp)) {
					return
				}
				endpoint.Maintain(each, fp, func() []string { return addressesOf(s.Store.Crew(), fp) })
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
			endpoint.Wake()
		case <-beat.C:
		}
	}
}

// dialled are the peers that are to be dialled now.
func (s *Standby) dialled() map[identity.Fingerprint]bool {
	wanted := map[identity.Fingerprint]bool{}
	crew := s.Store.Crew()
	if crew == nil || crew.Role != trust.RoleMember {
		return wanted
	}
	due := map[trust.Grade]bool{
		trust.GradeFormer:  true,
		trust.GradeDeputy:  s.silence.of(crew.Lead.Fingerprint) >= s.Arm/2,
		trust.GradeWitness: s.isAsking(),
	}
	for p, grade := range crew.Peers() {
		if due[grade] {
			wanted[p.Fingerprint] = true
		}
	}
	return wanted
}

// jitter is how long to wait before the first dial of a peer. A whole crew finds
// its lead silent at the same moment, and dials the one deputy.
func (s *Standby) jitter(fp identity.Fingerprint) time.Duration {
	if s.Store.Crew().Grade(fp) != trust.GradeDeputy {
		return 0
	}
	return rand.N(s.Beat)
}

// pause waits, and says whether it did to the end.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func addressesOf(crew *trust.Crew, fp identity.Fingerprint) []string {
	for p := range crew.Peers() {
		if p.Fingerprint == fp {
			return p.Addresses
		}
	}
	return nil
}

// Gate asks every member of a lead once, all together and for GatePatience at
// most, and returns: whoever follows another lead has answered with its proof
// by then, and this node may be no lead any more. A lead by takeover thus shows
// its own proof to the former one. Silence stops nothing.
func (s *Standby) Gate(ctx context.Context, endpoint *mesh.Endpoint) {
	crew := s.Store.Crew()
	if crew == nil || crew.Role != trust.RoleLead {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, GatePatience)
	changed, stop := s.Store.Watch()
	defer stop()
	var watching, asked sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() {
		for {
			if now := s.Store.Crew(); now == nil || now.Role != trust.RoleLead {
				cancel()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
		}
	})
	for _, m := range crew.Members {
		peer := m.Peer()
		peer.Addresses = crew.AddressesOf(m.ID)
		asked.Go(func() { askMember(ctx, endpoint, peer) })
	}
	asked.Wait()
}

// askMember says hello to a member, or waits for one that only dials out.
func askMember(ctx context.Context, endpoint *mesh.Endpoint, p trust.Peer) {
	if len(p.Addresses) > 0 {
		if err := endpoint.Ask(ctx, p.Fingerprint, p.Addresses); !errors.Is(err, mesh.ErrNoReply) {
			return
		}
	}
	changed, stop := endpoint.Watch(p.Fingerprint)
	defer stop()
	for state := endpoint.LinkState(p.Fingerprint); !state.Up && state.State != mesh.StateConflicted; state = endpoint.LinkState(p.Fingerprint) {
		if len(p.Addresses) > 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
