package trust

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// Named refusals of a warrant, in the order in which they are looked for.
var (
	// ErrWarrantShape says that it is no warrant, or that what travels with it
	// is not what it has to be.
	ErrWarrantShape = errors.New("it is not a warrant")
	// ErrSelfNamed says that it names the lead as its own deputy.
	ErrSelfNamed = errors.New("a lead cannot be its own deputy")
	// ErrOtherCrew says that a statement is of another crew or lead.
	ErrOtherCrew = errors.New("the statement is of another crew")
	// ErrNotSigned says that a statement is not signed by whom it has to be.
	ErrNotSigned = errors.New("the statement is not signed by the key that it needs")
	// ErrWarrantCertificate says that the certificate that came with it is not
	// the one that it names.
	ErrWarrantCertificate = errors.New("the deputy's certificate is not the one that the warrant names")
	// ErrWarrantDead says that it was not refreshed for WarrantLife.
	ErrWarrantDead = errors.New("the warrant has expired")
	// ErrWarrantFuture says that it was refreshed in the future.
	ErrWarrantFuture = errors.New("the warrant is from the future: one of the clocks is wrong")
	// ErrSuperseded says that a statement of a higher generation is known.
	ErrSuperseded = errors.New("a statement of a higher generation is known")
	// ErrRevoked is ErrSuperseded where the higher one names nobody.
	ErrRevoked = errors.New("the warrant was revoked")
	// ErrEquivocation says that two warrants of one generation differ in more
	// than their refresh.
	ErrEquivocation = errors.New("the lead has signed two warrants of one generation")
	// ErrReplayed says that a later refresh of the same warrant is known.
	ErrReplayed = errors.New("a later refresh of the warrant is known")
)

// A Warrant is a lead's standing word on its deputy, and what travels with it.
type Warrant struct {
	Signed statement.Signed `json:"signed"`
	// Deputy is the pin of the deputy that is named. It is nil when nobody is,
	// on a member whose warrant has expired, and on the lead itself, whose
	// roster has it.
	Deputy *Peer `json:"deputy,omitempty"`
	// Door is the URL of the deputy's standby door, on the lead alone.
	Door string `json:"door,omitempty"`
}

// Said returns what a stored warrant says. A nil one says nothing.
func (w *Warrant) Said() (said statement.Warrant, some bool) {
	if w == nil {
		return said, false
	}
	said, err := statement.ReadWarrant(w.Signed)
	return said, err == nil // what is stored was checked
}

// CheckLive refuses a warrant that is dead or from the future, by the clock of
// whoever looks at it.
func CheckLive(said statement.Warrant, now time.Time) error {
	switch {
	case !now.Before(said.RefreshedAt.Add(WarrantLife)):
		return ErrWarrantDead
	case said.RefreshedAt.After(now.Add(WarrantAhead)):
		return ErrWarrantFuture
	}
	return nil
}

// TakeWarrant stores a warrant of the pinned lead: the highest generation and,
// within it, the latest refresh. From then on the deputy that it names is pinned
// for a takeover, and the one before is not. own is the receiver's certificate.
// It returns old itself when it holds that warrant. Who cannot sign for the lead
// learns nothing about what is held.
func TakeWarrant(old *Crew, w Warrant, own identity.Fingerprint, now time.Time) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	said, err := old.verifyWarrant(w, own, now)
	if err != nil {
		return nil, err
	}
	held, some := old.Warrant.Said()
	if some && held == said && samePlace(old.Warrant.Deputy, w.Deputy) {
		return old, nil
	}
	next := old.clone()
	next.Generation = said.Generation
	next.Warrant = &Warrant{Signed: w.Signed, Deputy: w.Deputy}
	next.ToTell = without(next.ToTell, said.DeputyFingerprint) // a lead names who follows it
	if said.Generation != held.Generation {
		next.Bundle = nil // it goes with the warrant before
		if held.DeputyFingerprint != said.DeputyFingerprint && old.Warrant != nil {
			old.endStanding(next, old.Warrant.Deputy, said.Generation)
		}
		next.Ended = slices.DeleteFunc(slices.Clone(next.Ended), func(e Ended) bool { return e.Fingerprint == said.DeputyFingerprint })
	}
	return next, nil
}

// samePlace says whether two pins of the deputy of one warrant say the same of
// its name and its addresses, which nobody signs.
func samePlace(a, b *Peer) bool {
	if a == nil || b == nil {
		return b == nil
	}
	return a.Label == b.Label && slices.Equal(a.Addresses, b.Addresses)
}

// verifyWarrant makes every check of a warrant that a member is shown.
func (c *Crew) verifyWarrant(w Warrant, own identity.Fingerprint, now time.Time) (statement.Warrant, error) {
	said, err := checkWarrantShape(w)
	if err != nil {
		return said, err
	}
	if said.CrewID != c.ID || said.Lead != c.Lead.ID {
		return said, ErrOtherCrew
	}
	lead, err := identity.ParseCertificate(c.Lead.Certificate)
	if err != nil {
		return said, err
	}
	if _, err := statement.OpenWarrant(w.Signed, lead.PublicKey); err != nil {
		return said, fmt.Errorf("%w: %w", ErrNotSigned, err)
	}
	if err := checkDeputyPin(said, w.Deputy); err != nil {
		return said, err
	}
	if said.DeputyFingerprint == c.Lead.Fingerprint {
		return said, ErrSelfNamed
	}
	if (said.DeputyFingerprint == own) != (said.Deputy == c.SelfID) {
		return said, ErrWarrantCertificate // this node's id with another's certificate, or the other way round
	}
	if err := CheckLive(said, now); err != nil {
		return said, err
	}
	return said, c.checkSupersession(said)
}

// checkWarrantShape refuses what is no warrant, whoever signed it.
func checkWarrantShape(w Warrant) (statement.Warrant, error) {
	said, err := statement.ReadWarrant(w.Signed)
	if err != nil {
		return said, fmt.Errorf("%w: %w", ErrWarrantShape, err)
	}
	switch {
	case len(w.Signed.Signature) != ed25519.SignatureSize:
		return said, fmt.Errorf("%w: the signature has %d bytes", ErrWarrantShape, len(w.Signed.Signature))
	case said.Generation == 0:
		return said, fmt.Errorf("%w: it has no generation", ErrWarrantShape)
	case said.NamesNobody() != (w.Deputy == nil):
		return said, fmt.Errorf("%w: the deputy's pin is missing, or is of nobody", ErrWarrantShape)
	case said.Deputy == said.Lead:
		return said, ErrSelfNamed
	}
	if w.Deputy != nil {
		if err := errors.Join(CheckLabel(w.Deputy.Label), CheckAddresses(w.Deputy.Addresses)); err != nil {
			return said, fmt.Errorf("%w: %w", ErrWarrantShape, err)
		}
	}
	return said, nil
}

// checkDeputyPin compares the pin that came with a warrant with what it names.
func checkDeputyPin(said statement.Warrant, deputy *Peer) error {
	if deputy == nil {
		return nil
	}
	certificate, err := identity.ParseCertificate(deputy.Certificate)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWarrantCertificate, err)
	}
	if certificate.Fingerprint != said.DeputyFingerprint || deputy.Fingerprint != said.DeputyFingerprint || deputy.ID != said.Deputy {
		return ErrWarrantCertificate
	}
	return nil
}

// checkSupersession compares a verified warrant of the pinned lead with what is
// held.
func (c *Crew) checkSupersession(said statement.Warrant) error {
	held, some := c.Warrant.Said()
	switch {
	case said.Generation < c.Generation && some && held.Generation > said.Generation && held.NamesNobody():
		return ErrRevoked
	case said.Generation < c.Generation, said.Generation <= c.LeadSince():
		return ErrSuperseded
	case !some || held.Generation != said.Generation:
		return nil
	}
	switch {
	case equivocates(held, said):
		return ErrEquivocation
	case said.RefreshedAt.Before(held.RefreshedAt):
		return ErrReplayed
	}
	return nil
}

// equivocates says that two warrants of one lead and generation differ in more
// than their refresh.
func equivocates(a, b statement.Warrant) bool {
	a.RefreshedAt = b.RefreshedAt
	return a.Generation == b.Generation && a != b
}

// IsDeputy says whether a member's warrant, live or not, names this node.
func (c *Crew) IsDeputy(own identity.Fingerprint) bool {
	if c == nil || c.Role != RoleMember {
		return false
	}
	said, some := c.Warrant.Said()
	return some && said.Deputy == c.SelfID && said.DeputyFingerprint == own
}

// warrantIsOver says that the pin that a warrant brought has to go. The warrant
// stays: its generation counts.
func (c *Crew) warrantIsOver(now time.Time) bool {
	at, some := c.warrantEnds()
	return some && !now.Before(at)
}

// warrantEnds returns when the deputy's pin goes.
func (c *Crew) warrantEnds() (at time.Time, some bool) {
	if c.Role != RoleMember || c.Warrant == nil || c.Warrant.Deputy == nil {
		return at, false
	}
	said, some := c.Warrant.Said()
	return said.RefreshedAt.Add(WarrantLife), some
}

// pinless returns a warrant that pins nobody.
func (w *Warrant) pinless() *Warrant { return &Warrant{Signed: w.Signed} }
