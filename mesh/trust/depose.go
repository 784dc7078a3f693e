package trust

import (
	"errors"
	"slices"

	"collie/crypto/identity"
)

// ErrNoProof says that a chain holds nothing that this lead has signed away.
var ErrNoProof = errors.New("the chain proves nothing against this lead")

// A Parking is why a node that was deposed serves nothing.
type Parking string

// The reasons.
const (
	// ParkedUnknown is a lead that was deposed by a node that it never enrolled:
	// an old copy of its state was restored.
	ParkedUnknown Parking = "successor_unknown"
	// ParkedStranded is a former lead that does not hold the crew's secret any
	// more. It has to leave, or to join again.
	ParkedStranded Parking = "stranded"
)

// Depose makes a lead a member of the node to which a chain leads, if a link of
// it is a proof by the lead's own key: a takeover by a warrant of at least its
// own generation, or a handover of its time as lead. Neither the clock nor the
// crew secret matter. A proof that names a node that is not in the roster parks
// it. own is the lead's certificate. What does not verify changes nothing.
func Depose(old *Crew, chain []Change, hint Hint, own *identity.Certificate) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if len(chain) > MaxChain {
		return nil, ErrChainLong
	}
	refused := ErrNoProof
	for i, link := range chain {
		step, err := old.proof(link, own)
		if errors.Is(err, ErrNoProof) {
			continue
		}
		if err != nil {
			refused = err
			continue
		}
		return old.deposed(chain[i:], step, hint, own), nil
	}
	return nil, refused
}

// proof verifies one link as a proof against this lead.
func (c *Crew) proof(link Change, own *identity.Certificate) (successor, error) {
	if identity.FingerprintOf(link.FormerCertificate) != own.Fingerprint {
		return successor{}, ErrNoProof
	}
	step, err := link.verify(c.ID, own)
	if err != nil {
		return successor{}, err
	}
	if step.warrant != nil && step.warrant.Generation < c.Generation || step.generation <= c.LeadSince() {
		return successor{}, ErrSuperseded
	}
	return step, nil
}

// deposed returns a lead as what a proof makes of it, and as far along the rest
// of the chain as that verifies.
func (c *Crew) deposed(links []Change, step successor, hint Hint, own *identity.Certificate) *Crew {
	i := slices.IndexFunc(c.Members, func(m Member) bool { return m.Fingerprint == step.certificate.Fingerprint })
	if i < 0 {
		next := c.demoted(RoleDeposed, *c.leadOf(step, hint), step.generation)
		next.Chain, next.Parked = lengthened(c.Chain, links[:1]), ParkedUnknown
		return next
	}
	next := c.demoted(RoleMember, c.Members[i].Peer(), step.generation)
	next.Chain = lengthened(c.Chain, links[:1])
	if further, err := Follow(next, links, hint, own.Fingerprint); err == nil {
		return further
	}
	return next
}

// Strand parks a former lead whose secret is not the crew's any more, so that
// its new lead turns it away. It returns old itself on a node that is parked.
func Strand(old *Crew, own *identity.Certificate) (*Crew, error) {
	if old != nil && old.Role == RoleDeposed {
		return old, nil
	}
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(old.Chain, func(ch Change) bool { return identity.FingerprintOf(ch.FormerCertificate) == own.Fingerprint }) {
		return nil, ErrNoProof
	}
	next := &Crew{
		ID: old.ID, Name: old.Name, Role: RoleDeposed, Generation: old.Generation, Secret: old.Secret, SecretGeneration: old.SecretGeneration,
		Self: old.Self, Lead: old.Lead, Chain: old.Chain, ForgetDevices: old.ForgetDevices, Parked: ParkedStranded,
	}
	return next, nil
}
