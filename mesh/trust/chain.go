package trust

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// Named refusals of a chain.
var (
	// ErrChainLong says that it has more than MaxChain links.
	ErrChainLong = errors.New("the chain of leads is too long")
	// ErrChainLink says that a link is no proof of a change of lead.
	ErrChainLink = errors.New("a link of the chain proves no change of lead")
	// ErrNoTakeover says that a link has a warrant and no takeover of its deputy:
	// every member holds the warrant, so it alone proves nothing.
	ErrNoTakeover = errors.New("a warrant without the deputy's takeover proves nothing")
	// ErrChainStart says that it does not go through the pinned lead.
	ErrChainStart = errors.New("the chain does not start from the pinned lead")
	// ErrChainBroken says that a link is not by the lead that the link before
	// made, or that the generations do not rise.
	ErrChainBroken = errors.New("the chain of leads is broken")
	// ErrOwnChain says that the chain ends at the very node that it is shown to,
	// which does not lead: an old copy of its state was restored.
	ErrOwnChain = errors.New("the chain names this node as the lead, which its state knows nothing of")
)

// A Change is one link of the chain: the proof that one lead made another node
// the lead. It holds a handover, or a warrant and the takeover of the deputy
// that the warrant names.
type Change struct {
	// FormerID and FormerCertificate are the lead before, which signed. The id
	// of a handover's is told by nobody who signs, and shown, not believed.
	FormerID          string `json:"former"`
	FormerCertificate []byte `json:"formerCert"` // DER

	Handover *statement.Signed `json:"handover,omitempty"`
	Warrant  *statement.Signed `json:"warrant,omitempty"`
	Takeover *statement.Signed `json:"takeover,omitempty"`

	Certificate []byte `json:"cert"` // of the new lead, DER
}

// A successor is what a verified link says.
type successor struct {
	id          string
	certificate *identity.Certificate
	generation  uint64
	warrant     *statement.Warrant // of a takeover
}

// Generation returns the generation in which the change was made, unverified;
// 0 if it has none.
func (ch Change) Generation() uint64 {
	switch {
	case ch.Handover != nil:
		said, _ := statement.ReadHandover(*ch.Handover)
		return said.Generation
	case ch.Takeover != nil:
		said, _ := statement.ReadTakeover(*ch.Takeover)
		return said.Generation
	}
	return 0
}

// LeadSince returns the generation in which the crew's lead became its lead, as
// far as the chain tells: 0 is since before. A follower whose generation is
// lower follows another lead.
func (c *Crew) LeadSince() uint64 {
	if len(c.Chain) == 0 {
		return 0
	}
	return c.Chain[len(c.Chain)-1].Generation()
}

// LeadID returns the member id of the lead: the one that is followed, or this
// node's own.
func (c *Crew) LeadID() string {
	if c.Lead != nil {
		return c.Lead.ID
	}
	return c.SelfID
}

// verify proves a link by the certificate of the lead before it.
func (ch Change) verify(crew statement.CrewID, by *identity.Certificate) (successor, error) {
	if !bytes.Equal(ch.FormerCertificate, by.DER) {
		return successor{}, ErrChainBroken
	}
	if !ValidID(ch.FormerID) {
		return successor{}, fmt.Errorf("%w: %q is not a member id", ErrChainLink, ch.FormerID)
	}
	certificate, err := identity.ParseCertificate(ch.Certificate)
	if err != nil {
		return successor{}, fmt.Errorf("%w: %w", ErrChainLink, err)
	}
	var next successor
	var named identity.Fingerprint
	switch {
	case ch.Handover != nil && ch.Warrant == nil && ch.Takeover == nil:
		next, named, err = ch.verifyHandover(crew, by)
	case ch.Handover == nil && ch.Warrant != nil && ch.Takeover == nil:
		err = ErrNoTakeover
	case ch.Handover == nil && ch.Warrant != nil && ch.Takeover != nil:
		next, named, err = ch.verifyTakeover(crew, by, certificate)
	default:
		err = ErrChainLink
	}
	if err != nil {
		return successor{}, err
	}
	if certificate.Fingerprint != named || certificate.Fingerprint == by.Fingerprint {
		return successor{}, fmt.Errorf("%w: the new lead's certificate is not the one that it names", ErrChainLink)
	}
	next.certificate = certificate
	return next, nil
}

func (ch Change) verifyHandover(crew statement.CrewID, by *identity.Certificate) (next successor, named identity.Fingerprint, err error) {
	said, err := statement.OpenHandover(*ch.Handover, by.PublicKey)
	if err != nil {
		return next, named, signatureError(err)
	}
	if said.CrewID != crew {
		return next, named, ErrOtherCrew
	}
	return successor{id: said.NewLead, generation: said.Generation}, said.NewLeadFingerprint, nil
}

func (ch Change) verifyTakeover(crew statement.CrewID, by, deputy *identity.Certificate) (next successor, named identity.Fingerprint, err error) {
	given, err := statement.OpenWarrant(*ch.Warrant, by.PublicKey)
	if err != nil {
		return next, named, signatureError(err)
	}
	taken, err := statement.OpenTakeover(*ch.Takeover, deputy.PublicKey)
	if err != nil {
		return next, named, signatureError(err)
	}
	switch {
	case given.CrewID != crew || taken.CrewID != crew:
		return next, named, ErrOtherCrew
	case given.Lead != ch.FormerID:
		return next, named, fmt.Errorf("%w: the warrant is by another member", ErrChainLink)
	case given.NamesNobody():
		return next, named, fmt.Errorf("%w: the warrant names nobody", ErrChainLink)
	case taken.Warrant != statement.WarrantDigest(*ch.Warrant) || taken.Generation != given.Generation+1:
		return next, named, fmt.Errorf("%w: the takeover is by another warrant", ErrChainLink)
	}
	return successor{id: given.Deputy, generation: taken.Generation, warrant: &given}, given.DeputyFingerprint, nil
}

// signatureError says what is wrong with a statement of a link.
func signatureError(err error) error {
	if errors.Is(err, statement.ErrSignature) {
		return fmt.Errorf("%w: %w", ErrNotSigned, err)
	}
	return fmt.Errorf("%w: %w", ErrChainLink, err)
}

// walk goes along a chain from a lead in whose time a generation was known, and
// proves every link from there to the end. It returns the links that it went and
// where each leads, at least one.
func walk(crew statement.CrewID, chain []Change, from *identity.Certificate, known uint64) ([]Change, []successor, error) {
	if len(chain) > MaxChain {
		return nil, nil, ErrChainLong
	}
	start, seen := -1, false
	for i, change := range chain {
		if bytes.Equal(change.FormerCertificate, from.DER) {
			seen = true
			if g := change.Generation(); start < 0 && (g > known || g == 0) { // 0: verify says what is wrong with it
				start = i
			}
		}
	}
	switch {
	case start < 0 && seen:
		return nil, nil, ErrSuperseded
	case start < 0:
		return nil, nil, ErrChainStart
	}
	by, generation := from, known
	var steps []successor
	for _, change := range chain[start:] {
		step, err := change.verify(crew, by)
		if err != nil {
			return nil, nil, err
		}
		if step.generation <= generation {
			return nil, nil, fmt.Errorf("%w: the generation %d comes after %d", ErrChainBroken, step.generation, generation)
		}
		steps = append(steps, step)
		by, generation = step.certificate, step.generation
	}
	return slices.Clone(chain[start:]), steps, nil
}

// lengthened returns a chain with links at its end, less what it holds no more.
func lengthened(chain, links []Change) []Change {
	all := slices.Concat(chain, links)
	return all[max(0, len(all)-MaxChain):]
}

// checkLinks refuses a list of links that do not lead from one to the next and
// to the holder of a fingerprint. The first is taken at its word about who
// signed it.
func checkLinks(crew statement.CrewID, chain []Change, to identity.Fingerprint) error {
	if len(chain) == 0 {
		return nil
	}
	first, err := identity.ParseCertificate(chain[0].FormerCertificate)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChainLink, err)
	}
	_, steps, err := walk(crew, chain, first, 0)
	if err != nil {
		return err
	}
	if steps[0].generation == 0 || len(steps) != len(chain) || steps[len(steps)-1].certificate.Fingerprint != to {
		return ErrChainBroken
	}
	return nil
}
