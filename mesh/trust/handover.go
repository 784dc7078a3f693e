package trust

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// ErrNotApproved says that the lead has approved no promotion of the caller. It
// is the same whoever else is approved.
var ErrNotApproved = errors.New("no promotion of this member is approved")

// An Approval lets one member take the lead over, once.
type Approval struct {
	MemberID    string               `json:"memberId"`
	Fingerprint identity.Fingerprint `json:"fingerprint"`
	ExpiresAt   time.Time            `json:"expiresAt"`
}

func (a *Approval) live(now time.Time) bool { return a != nil && now.Before(a.ExpiresAt) }

// Approve lets a member take the lead within ApprovalLife, in place of whoever
// was approved before.
func Approve(old *Crew, id string, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if id == old.SelfID {
		return nil, ErrThisNode
	}
	m, err := old.reliable(id)
	if err != nil {
		return nil, err
	}
	next := old.clone()
	next.Handover = &Approval{MemberID: m.ID, Fingerprint: m.Fingerprint, ExpiresAt: toStored(now.Add(ApprovalLife))}
	return next, nil
}

// CancelApproval lets nobody take the lead. It returns old itself when nobody
// may.
func CancelApproval(old *Crew) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if old.Handover == nil {
		return old, nil
	}
	next := old.clone()
	next.Handover = nil
	return next, nil
}

// Handed is what a lead answers to the member that it hands over to: the same
// bytes however often it is asked.
type Handed struct {
	Handover statement.Signed `json:"handover"`
	Bundle   SignedBundle     `json:"succession"`
}

// HandOver makes the lead an ordinary member of the member that claims the lead
// with the certificate claimant, if it was approved and no other deputy stands. HandedOver of the next crew
// is what the claimant gets, once next is stored, and again until
// HandoverConfirmed. It goes on telling the other members, ToTell.
func HandOver(old *Crew, claimant identity.Fingerprint, devices []Device, own *identity.Identity, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	id, grade := old.Pin(claimant)
	a := old.Handover
	if grade != GradeMember || !a.live(now) || a.MemberID != id || !a.Fingerprint.Equal(claimant) {
		return nil, ErrNotApproved
	}
	switch {
	case old.Restored:
		return nil, ErrRestored
	case old.Rotation != nil:
		return nil, ErrRotating // the new lead could not tell who is owed the new secret
	case old.Generation >= maxGeneration:
		return nil, ErrGenerations
	}
	if err := old.checkSuccessor(claimant, now); err != nil {
		return nil, err
	}
	generation := old.Generation + 1
	handover, err := statement.Sign(own, statement.Handover{
		CrewID: old.ID, Generation: generation, NewLead: id, NewLeadFingerprint: claimant, At: now,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot sign a handover: %w", err)
	}
	content, err := old.bundle(devices)
	if err != nil {
		return nil, err
	}
	bundle, err := signBundle(own, content, statement.Bundle{
		CrewID: old.ID, Generation: generation, Deputy: id, DeputyFingerprint: claimant, Counter: 1, At: now,
	})
	if err != nil {
		return nil, err
	}
	m, _ := old.Member(id)
	next := old.demoted(RoleMember, m.Peer(), generation)
	next.Chain = lengthened(old.Chain, []Change{{
		FormerID: old.SelfID, FormerCertificate: own.Certificate(), Handover: &handover, Certificate: m.Certificate,
	}})
	next.HandedOver = &Handed{Handover: handover, Bundle: bundle}
	return next, nil
}

// demoted returns a lead as a member of another lead, or parked. Nothing of the
// lead's own outlives it but the members that have to be told.
func (c *Crew) demoted(role Role, lead Lead, generation uint64) *Crew {
	next := &Crew{
		ID: c.ID, Name: c.Name, Role: role, Generation: generation, Secret: c.Secret, SecretGeneration: c.SecretGeneration,
		Self: c.Self, Lead: &lead, Chain: c.Chain,
		ForgetDevices: c.ForgetDevices || c.Devices() == DevicesOwn,
	}
	if role != RoleMember {
		next.Ended = nil
		return next
	}
	next.Ended = slices.DeleteFunc(slices.Clone(c.Ended), func(e Ended) bool { return e.Fingerprint == lead.Fingerprint })
	for _, m := range c.Members {
		if m.Fingerprint != lead.Fingerprint && m.State != StateUnconfirmed {
			next.ToTell = append(next.ToTell, m.Peer())
		}
	}
	return next
}

// HandoverConfirmed notes that the new lead, which holds a fingerprint, has
// called as the lead of at least the generation that it was handed. It returns
// old itself when that is known, or when somebody else called.
func HandoverConfirmed(old *Crew, fp identity.Fingerprint, generation uint64) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	if old.HandedOver == nil || !old.Lead.Fingerprint.Equal(fp) || generation < old.LeadSince() {
		return old, nil
	}
	next := old.clone()
	next.HandedOver = nil
	return next, nil
}

// Told notes that a member, which holds a fingerprint, knows who leads now. It
// returns old itself when it did not have to be told.
func Told(old *Crew, fp identity.Fingerprint) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	rest := without(old.ToTell, fp)
	if len(rest) == len(old.ToTell) {
		return old, nil
	}
	next := old.clone()
	next.ToTell = rest
	return next, nil
}

// TakeHandover makes a member the lead by what its pinned lead handed to it.
// Every other member, the old lead among them, has yet to follow. It returns old
// itself on a node that leads by that handover already.
func TakeHandover(old *Crew, handed Handed, own *identity.Identity, now time.Time) (*Crew, error) {
	if old != nil && old.Role == RoleLead && len(old.Chain) > 0 {
		if last := old.Chain[len(old.Chain)-1]; last.Handover != nil && equalSigned(*last.Handover, handed.Handover) {
			return old, nil
		}
	}
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	lead, err := identity.ParseCertificate(old.Lead.Certificate)
	if err != nil {
		return nil, err
	}
	handover := handed.Handover
	link := Change{FormerID: old.Lead.ID, FormerCertificate: lead.DER, Handover: &handover, Certificate: own.Certificate()}
	step, err := link.verify(old.ID, lead)
	if err != nil {
		return nil, err
	}
	if step.id != old.SelfID {
		return nil, ErrChainLink
	}
	if step.generation <= old.Generation {
		return nil, ErrSuperseded
	}
	b, said, err := old.verifyBundle(handed.Bundle, step.generation, own.Fingerprint())
	if err != nil {
		return nil, err
	}
	if err := old.checkBundle(b, said.At); err != nil {
		return nil, err
	}
	return old.heir(b, lengthened(b.Chain, []Change{link}), step.generation, now), nil
}
