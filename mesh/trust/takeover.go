package trust

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// MayTakeOver refuses what TakeOver refuses before it opens the bundle: this
// node is not the deputy of a live warrant, or has no bundle.
func MayTakeOver(c *Crew, own identity.Fingerprint, now time.Time) error {
	if err := mustFollow(c); err != nil {
		return err
	}
	if !c.IsDeputy(own) {
		return ErrNotDeputy
	}
	said, _ := c.Warrant.Said()
	if said.Generation < c.Generation {
		return ErrSuperseded
	}
	if err := CheckLive(said, now); err != nil {
		return err
	}
	if c.Restored {
		return ErrRestored
	}
	if c.Bundle == nil {
		return ErrNoBundle
	}
	return nil
}

// TakeOver is the decision: it makes the deputy the lead, with the roster, the
// retired ids, the devices and the chain of an opened bundle, and with its
// takeover statement as the newest link. The old lead becomes an ordinary
// member, nobody is deputy, and every member has yet to follow. The takeover
// leaves the node only once this is stored.
func TakeOver(old *Crew, b Bundle, own *identity.Identity, now time.Time) (*Crew, error) {
	if err := MayTakeOver(old, own.Fingerprint(), now); err != nil {
		return nil, err
	}
	said, _ := old.Warrant.Said()
	if said.Generation >= maxGeneration {
		return nil, ErrGenerations
	}
	signed, err := statement.Sign(own, statement.Takeover{
		CrewID: old.ID, Generation: said.Generation + 1, Warrant: statement.WarrantDigest(old.Warrant.Signed), At: now,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot sign a takeover: %w", err)
	}
	warrant := old.Warrant.Signed
	link := Change{
		FormerID: old.Lead.ID, FormerCertificate: old.Lead.Certificate,
		Warrant: &warrant, Takeover: &signed, Certificate: own.Certificate(),
	}
	return old.heir(b, lengthened(b.Chain, []Change{link}), said.Generation+1, now), nil
}

// heir returns the lead that a member becomes by a bundle. Every other member,
// the old lead among them, has yet to follow it.
func (c *Crew) heir(b Bundle, chain []Change, generation uint64, now time.Time) *Crew {
	next := &Crew{
		ID: c.ID, Name: c.Name, Role: RoleLead, Generation: generation, Secret: c.Secret, SecretGeneration: c.SecretGeneration,
		Self: c.Self, RetiredIDs: b.RetiredIDs, Chain: chain, ForgetDevices: c.ForgetDevices,
		CrewDevices: true, Inherited: &Inheritance{Devices: b.Devices},
	}
	for _, m := range b.Members {
		if m.ID == c.SelfID {
			continue
		}
		m.State, m.SecretGeneration = StateRepinPending, min(m.SecretGeneration, c.SecretGeneration)
		next.Members = append(next.Members, m)
	}
	next.Members = append(next.Members, Member{
		ID: c.Lead.ID, Label: c.Lead.Label, Fingerprint: c.Lead.Fingerprint, Certificate: c.Lead.Certificate,
		Addresses: c.Lead.Addresses, EnrolledAt: toStored(now), State: StateRepinPending,
	})
	return next
}

// Probe makes every check of a takeover that a member makes before it says how
// long its lead has been silent: w verifies and names the caller. A refresh that
// is older than the one held is the same warrant. It changes nothing.
func Probe(c *Crew, w Warrant, caller, own identity.Fingerprint, now time.Time) error {
	if err := mustFollow(c); err != nil {
		return err
	}
	said, err := c.verifyWarrant(w, own, now)
	if err != nil && !errors.Is(err, ErrReplayed) {
		return err
	}
	if said.DeputyFingerprint != caller {
		return ErrNotDeputy
	}
	if c.Restored {
		return ErrRestored
	}
	return nil
}

// Repinned makes a member that has shown the generation of a lead that it
// follows a member in full. It returns old itself when that member has followed
// before.
func Repinned(old *Crew, fp identity.Fingerprint, generation uint64) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(old.Members, func(m Member) bool { return m.Fingerprint.Equal(fp) })
	switch {
	case i < 0:
		return nil, ErrNoMember
	case generation < old.LeadSince():
		return nil, ErrRepinPending
	case old.Members[i].State != StateRepinPending:
		return old, nil
	}
	next := old.clone()
	next.Members[i].State = StateEnrolled
	return next, nil
}
