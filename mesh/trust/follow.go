package trust

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"collie/crypto/identity"
)

// ErrRepinPending says that a member has not shown that it follows this lead.
var ErrRepinPending = errors.New("the member has not followed this lead yet")

// A Hint is what a peer says about a lead and what nobody signs.
type Hint struct {
	Label     string
	Addresses []string
}

// Follow makes a member follow a chain of leads from the one that it pins to the
// last. What it held of the old lead goes: warrant, bundle, and the old lead's
// pin. Its id and the crew secret stay. It returns old itself when the chain
// tells nothing new. own is this node's certificate.
func Follow(old *Crew, chain []Change, hint Hint, own identity.Fingerprint) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	if len(chain) > MaxChain {
		return nil, ErrChainLong
	}
	if n := len(chain); n > 0 && bytes.Equal(chain[n-1].Certificate, old.Lead.Certificate) && chain[n-1].Generation() <= old.Generation {
		return old, nil
	}
	lead, err := identity.ParseCertificate(old.Lead.Certificate)
	if err != nil {
		return nil, err
	}
	went, steps, err := walk(old.ID, chain, lead, old.Generation)
	if err != nil {
		return nil, err
	}
	if held, some := old.Warrant.Said(); some && steps[0].warrant != nil && equivocates(held, *steps[0].warrant) {
		return nil, ErrEquivocation
	}
	last := steps[len(steps)-1]
	if last.certificate.Fingerprint == own {
		return nil, ErrOwnChain
	}
	next := old.clone()
	next.Lead = old.leadOf(last, hint)
	next.Generation = last.generation
	next.Chain = lengthened(old.Chain, went)
	if w := old.Warrant; w != nil && w.Deputy != nil && w.Deputy.Fingerprint != last.certificate.Fingerprint {
		old.endStanding(next, w.Deputy, last.generation)
	}
	next.Ended = slices.DeleteFunc(slices.Clone(next.Ended), func(e Ended) bool { return e.Fingerprint == last.certificate.Fingerprint })
	next.Warrant, next.Bundle, next.HandedOver = nil, nil, nil
	next.ToTell = without(old.ToTell, last.certificate.Fingerprint)
	return next, nil
}

// Obey is Follow for a chain that the deputy itself brings: its newest link is
// the takeover of the caller, by a warrant that is live by this node's clock.
func Obey(old *Crew, chain []Change, hint Hint, caller, own identity.Fingerprint, now time.Time) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	if old.Restored {
		return nil, ErrRestored
	}
	if len(chain) == 0 || chain[len(chain)-1].Warrant == nil {
		return nil, ErrNoTakeover
	}
	said, some := (&Warrant{Signed: *chain[len(chain)-1].Warrant}).Said()
	if !some || said.DeputyFingerprint != caller {
		return nil, ErrNotDeputy
	}
	if err := CheckLive(said, now); err != nil {
		return nil, err
	}
	return Follow(old, chain, hint, own)
}

// leadOf returns the pin of a lead that a chain led to.
func (c *Crew) leadOf(s successor, hint Hint) *Lead {
	lead := Lead{ID: s.id, Label: s.id, Fingerprint: s.certificate.Fingerprint, Certificate: s.certificate.DER}
	if w := c.Warrant; w != nil && w.Deputy != nil && w.Deputy.Fingerprint == lead.Fingerprint {
		lead.Label, lead.Addresses = w.Deputy.Label, w.Deputy.Addresses
	}
	if hint.Label != "" && CheckLabel(hint.Label) == nil {
		lead.Label = hint.Label
	}
	if len(hint.Addresses) > 0 && CheckAddresses(hint.Addresses) == nil {
		lead.Addresses = hint.Addresses
	}
	return &lead
}
