package standby

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// held is what a member holds, by its last word.
type held struct {
	generation uint64
	refreshed  time.Time
	place      string // of the deputy, as it was told
	counter    uint64
	at         time.Time // when it confirmed
}

// Naming is what came of naming a deputy, or nobody.
type Naming struct {
	Generation uint64
	Deputy     string          // "" is nobody
	Stored     map[string]bool // by member id: it has confirmed that it holds the warrant
}

// NameDeputy makes a member the deputy, and tells all members; see endDeputy for
// the one before. door is where its standby door is published, or "". The member
// has to be reachable, and enrolled with the current secret. For the deputy that
// stands nothing is signed.
func (s *Standby) NameDeputy(ctx context.Context, id, door string) (Naming, error) {
	node, crew, err := s.current()
	if err != nil {
		return Naming{}, err
	}
	if m, found := crew.Member(id); found {
		link := node.Peers.Link(m.Fingerprint)
		switch {
		case !link.Up:
			return Naming{}, api.ErrHostUnreachable.On(id)
		case sealed.CheckRecipient(link.Holdings.Recipient) != nil:
			return Naming{}, ErrNoKey.On(id)
		}
		if err := s.endDeputy(ctx, node, m.Fingerprint); err != nil {
			return Naming{}, err
		}
	}
	return s.name(ctx, id, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.NameDeputy(old, id, door, node.Identity, s.Now())
	})
}

// RevokeDeputy makes nobody the deputy, and tells all members. Until the one
// that was it has heard, it could take over.
func (s *Standby) RevokeDeputy(ctx context.Context) (Naming, error) {
	node, _, err := s.current()
	if err != nil {
		return Naming{}, err
	}
	return s.name(ctx, "", func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RevokeDeputy(old, node.Identity, s.Now())
	})
}

func (s *Standby) name(ctx context.Context, id string, change func(*trust.Crew) (*trust.Crew, error)) (Naming, error) {
	crew := s.Store.Crew()
	if _, err := change(crew); err != nil {
		return Naming{}, err
	}
	// A right that ends does so also where that cannot be audited.
	step := Entry{Action: "crew.deputy", Member: id, Via: "cli"}
	notStored := s.audited(step, func() error { return s.Store.Update(change) })
	if errors.Is(notStored, api.ErrAuditUnavailable) && id == "" {
		notStored = s.Store.Update(change)
	}
	if notStored != nil && !unsaved(notStored) {
		return Naming{}, notStored
	}
	node, crew, err := s.current()
	if err != nil {
		return Naming{}, err
	}
	n := Naming{Generation: crew.Generation, Deputy: id, Stored: map[string]bool{}}
	var mu sync.Mutex // guards n.Stored
	var all sync.WaitGroup
	for _, m := range crew.Members {
		all.Go(func() {
			stored := s.supply(ctx, node, m) == nil && s.confirmed(m.Fingerprint).generation == crew.Generation
			mu.Lock()
			defer mu.Unlock()
			n.Stored[m.ID] = stored
		})
	}
	all.Wait()
	s.Wake()
	return n, notStored
}

// supplyAll brings every member what it lacks, each on its own.
func (s *Standby) supplyAll(ctx context.Context, node Node, crew *trust.Crew) {
	for _, m := range crew.Members {
		if !s.lacks(node, crew, m) {
			continue
		}
		s.alone(m.Fingerprint, func() {
			if err := s.supply(ctx, node, m); err != nil && ctx.Err() == nil {
				s.Log.Info("a member was not brought up to date", "member", m.ID, "error", err)
			}
		})
	}
}

// lacks says whether a member with a link may have to be brought something, or
// asked: whether a call of supply can do more than look.
func (s *Standby) lacks(node Node, crew *trust.Crew, m trust.Member) bool {
	link := node.Peers.Link(m.Fingerprint)
	if !link.Up || link.Holdings.WarrantGeneration > crew.Generation {
		return link.Up
	}
	warrant, some := crew.StandingWarrant()
	said, _ := warrant.Said()
	return some && (said.Deputy == m.ID || s.heldBy(link, m.Fingerprint).isBehind(warrant))
}

// alone runs a call of one peer in the background, unless one is under way.
func (s *Standby) alone(peer identity.Fingerprint, call func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[peer] || len(s.busy) >= maxCalls {
		return // with the next step
	}
	s.busy[peer] = true
	s.calls.Go(func() {
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.busy, peer)
		}()
		call()
	})
}

func (s *Standby) confirmed(peer identity.Fingerprint) held {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told[peer]
}

func (s *Standby) confirm(peer identity.Fingerprint, change func(*held)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.told[peer]
	change(&h)
	h.at = s.Now()
	s.told[peer] = h
}

// supply brings one member the warrant, and the deputy the bundle, if it reports
// less than what stands. It does nothing for a member without a link, or one
// that has yet to follow.
func (s *Standby) supply(ctx context.Context, node Node, m trust.Member) error {
	link := node.Peers.Link(m.Fingerprint)
	if !link.Up {
		return api.ErrHostUnreachable.On(m.ID)
	}
	crew := s.Store.Crew()
	if crew == nil {
		return api.ErrCrewUnavailable
	}
	if link.Holdings.WarrantGeneration > crew.Generation {
		return s.askWarrant(ctx, node, m)
	}
	warrant, some := crew.StandingWarrant()
	if !some || crew.Grade(m.Fingerprint) != trust.GradeMember {
		return nil
	}
	if err := s.Store.Unsaved(); err != nil {
		return fmt.Errorf("a signature waits for the disk: %w", err) // a restart would sign another warrant of that generation
	}
	if s.heldBy(link, m.Fingerprint).isBehind(warrant) {
		if err := s.bringWarrant(ctx, node, m, warrant); err != nil {
			return err
		}
	}
	if said, _ := warrant.Said(); said.Deputy != m.ID || said.DeputyFingerprint != m.Fingerprint {
		return nil
	}
	return s.bringBundle(ctx, node, m, link)
}

// heldBy returns what a member holds: what it has confirmed, unless it has said
// hello since then.
func (s *Standby) heldBy(link mesh.Link, peer identity.Fingerprint) held {
	h := s.confirmed(peer)
	if link.SeenAt.After(h.at) {
		h.generation, h.refreshed = link.Holdings.WarrantGeneration, time.UnixMilli(link.Holdings.WarrantRefreshedAt)
		h.counter = link.Holdings.BundleCounter
	}
	return h
}

// isBehind says whether a warrant is above what is held, or says that the deputy
// is somewhere else.
func (h held) isBehind(w trust.Warrant) bool {
	said, _ := w.Said()
	return said.Generation > h.generation || said.Generation == h.generation && said.RefreshedAt.After(h.refreshed) || h.place != placeOf(w)
}

// placeOf is what a warrant says of its deputy without a signature.
func placeOf(w trust.Warrant) string {
	if w.Deputy == nil {
		return "nobody"
	}
	return strings.Join(append([]string{w.Deputy.Label}, w.Deputy.Addresses...), "\n")
}

func (s *Standby) bringWarrant(ctx context.Context, node Node, m trust.Member, w trust.Warrant) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	var answer WarrantAnswer
	w.Door = "" // the phone's matter, and the deputy's, which has it in its bundle
	if err := node.Peers.Call(ctx, m.Fingerprint, RouteWarrant, WarrantCall{&w}, &answer); err != nil {
		return fmt.Errorf("bring the warrant to %s: %w", m.ID, err)
	}
	if !answer.Stored {
		return s.countOn(node, m, answer.Held)
	}
	said, _ := w.Said()
	s.confirm(m.Fingerprint, func(h *held) {
		if h.generation != said.Generation {
			h.counter = 0 // a bundle goes with its warrant
		}
		h.generation, h.refreshed, h.place = said.Generation, said.RefreshedAt, placeOf(w)
	})
	s.heardOfEnd(m.Fingerprint, said.Generation)
	return nil
}

// askWarrant asks a member that reports a higher warrant than this lead has
// signed, as far as it remembers.
func (s *Standby) askWarrant(ctx context.Context, node Node, m trust.Member) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	var answer WarrantAnswer
	if err := node.Peers.Call(ctx, m.Fingerprint, RouteWarrant, WarrantCall{}, &answer); err != nil {
		return fmt.Errorf("ask %s for its warrant: %w", m.ID, err)
	}
	return s.countOn(node, m, answer.Held)
}

// countOn takes over a warrant of this lead's own key that it has forgotten.
func (s *Standby) countOn(node Node, m trust.Member, shown *trust.Warrant) error {
	if shown == nil {
		return nil
	}
	own, err := identity.ParseCertificate(node.Identity.Certificate())
	if err != nil {
		return err
	}
	err = s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.CountOn(old, *shown, own) })
	switch {
	case errors.Is(err, trust.ErrNotHigher):
		return nil
	case err != nil:
		return fmt.Errorf("the warrant that %s shows is refused: %w", m.ID, err)
	}
	s.Log.Warn("this lead's state is an old copy: it counts on from the warrant that a member showed", "member", m.ID)
	s.Wake()
	return nil
}

// bringBundle makes the bundle, if it is another one now, stores its counter,
// and brings it to the deputy.
func (s *Standby) bringBundle(ctx context.Context, node Node, m trust.Member, link mesh.Link) error {
	recipient, reported := link.Holdings.Recipient, link.Holdings.BundleCounter
	if sealed.CheckRecipient(recipient) != nil {
		return ErrNoKey.On(m.ID)
	}
	devices, err := s.Devices()
	if err != nil {
		return fmt.Errorf("the bundle waits for the list of devices: %w", err)
	}
	var made trust.SignedBundle
	var counter uint64
	err = s.Store.Update(func(old *trust.Crew) (next *trust.Crew, err error) {
		if old, err = trust.CountBundlesOn(old, reported); err != nil {
			return nil, err
		}
		if old.Deputy() != m.ID {
			return nil, trust.ErrNotDeputy // since it was looked at
		}
		if next, made, err = trust.NextBundle(old, devices, node.Identity, s.Now()); err == nil {
			counter = next.Bundled.Counter
		}
		return next, err
	})
	if err != nil {
		return fmt.Errorf("make the bundle: %w", err)
	}
	if s.heldBy(link, m.Fingerprint).counter >= counter {
		return nil
	}
	data, err := made.Seal(recipient)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	var answer BundleAnswer
	if err := node.Peers.Call(ctx, m.Fingerprint, RouteBundle, BundleCall{data}, &answer); err != nil {
		return fmt.Errorf("bring the bundle to %s: %w", m.ID, err)
	}
	s.confirm(m.Fingerprint, func(h *held) { h.counter = answer.Counter })
	return nil
}

// Owed says what a takeover would bring back at this moment: nothing, or that
// the deputy, or one that is deputy no more, has yet to hear of what stands now.
func (s *Standby) Owed() (deputy string, owed bool) {
	node, crew, err := s.current()
	if err != nil || crew.Role != trust.RoleLead {
		return "", false
	}
	if n := len(crew.Ended); n > 0 {
		return crew.Ended[n-1].ID, true
	}
	said, some := crew.Warrant.Said()
	if !some || said.NamesNobody() {
		return "", false
	}
	m, found := crew.Member(said.Deputy)
	if !found {
		return said.Deputy, true
	}
	has := s.heldBy(node.Peers.Link(m.Fingerprint), m.Fingerprint).counter
	devices, err := s.Devices()
	if err != nil {
		return m.ID, true
	}
	next, _, err := trust.NextBundle(crew, devices, node.Identity, s.Now())
	return m.ID, err != nil || next.Bundled == nil || has < next.Bundled.Counter
}
