package trust

import (
	"bytes"
	"errors"
	"fmt"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/crypto/statement"
)

// checkSuccession refuses what a crew cannot hold of a warrant, a chain, or a
// change of lead.
func (c *Crew) checkSuccession() error {
	switch {
	case c.Role != RoleLead && (c.Handover != nil || c.Bundled != nil || c.CrewDevices || c.Inherited != nil):
		return errors.New("what a lead alone has of a succession")
	case c.Role != RoleMember && (c.Bundle != nil || len(c.ToTell) > 0 || c.HandedOver != nil):
		return errors.New("what a member alone has of a succession")
	case (c.Role == RoleDeposed) != (c.Parked == ParkedUnknown || c.Parked == ParkedStranded) || c.Role != RoleDeposed && c.Parked != "":
		return fmt.Errorf("a %s that is parked because of %q", c.Role, c.Parked)
	case c.Role == RoleDeposed && c.Warrant != nil:
		return errors.New("a warrant on a node that is parked")
	case c.KeyDue && (c.Role != RoleLead || len(c.Members)+len(c.Chain) > 0):
		return errors.New("a key that is due where the one that is held is known")
	case c.Inherited != nil && !c.CrewDevices:
		return errors.New("inherited devices without their list")
	}
	if err := c.checkChain(); err != nil {
		return fmt.Errorf("the chain: %w", err)
	}
	if c.Warrant != nil {
		if err := c.checkWarrant(); err != nil {
			return fmt.Errorf("the warrant: %w", err)
		}
	}
	if c.Inherited != nil {
		if err := checkDevices(c.Inherited.Devices); err != nil {
			return fmt.Errorf("the inherited devices: %w", err)
		}
	}
	if c.Handover != nil {
		if m, _ := c.Member(c.Handover.MemberID); m.ID == "" || m.Fingerprint != c.Handover.Fingerprint || c.Handover.ExpiresAt.IsZero() {
			return errors.New("the approval: it is of nobody who is a member")
		}
	}
	if said, _ := c.Warrant.Said(); c.Bundled != nil && (said.NamesNobody() || c.Bundled.Counter == 0 || c.Bundled.Counter > maxGeneration) {
		return errors.New("a bundle that was made for nobody")
	}
	if c.Bundle != nil {
		if err := c.checkHeldBundle(); err != nil {
			return fmt.Errorf("the bundle: %w", err)
		}
	}
	if c.HandedOver != nil {
		if err := c.checkHandedOver(); err != nil {
			return fmt.Errorf("what was handed over: %w", err)
		}
	}
	if err := c.checkEnded(); err != nil {
		return fmt.Errorf("the deputies that were ended: %w", err)
	}
	if err := c.checkPeers(c.ToTell); err != nil {
		return fmt.Errorf("those to be told: %w", err)
	}
	return nil
}

// checkChain refuses a chain that does not lead to the crew's lead.
func (c *Crew) checkChain() error {
	if len(c.Chain) == 0 {
		return nil
	}
	last := c.Chain[len(c.Chain)-1]
	fp := identity.FingerprintOf(last.Certificate)
	if err := checkLinks(c.ID, c.Chain, fp); err != nil {
		return err
	}
	if c.Generation < last.Generation() {
		return errors.New("it is of the future")
	}
	if c.Lead != nil {
		if c.Lead.Fingerprint != fp {
			return errors.New("it leads to another lead")
		}
		return nil
	}
	if id := last.newLead(); id != c.SelfID {
		return fmt.Errorf("it leads to %q", id)
	}
	return nil
}

// newLead returns the member id of the lead that a stored link makes.
func (ch Change) newLead() string {
	if ch.Handover != nil {
		said, _ := statement.ReadHandover(*ch.Handover)
		return said.NewLead
	}
	said, _ := (&Warrant{Signed: *ch.Warrant}).Said()
	return said.Deputy
}

// checkWarrant refuses a warrant that is not of this crew and its lead. That a
// founder has signed it is looked at when it is refreshed: its certificate is not
// in the crew.
func (c *Crew) checkWarrant() error {
	said, err := statement.ReadWarrant(c.Warrant.Signed)
	if err != nil {
		return err
	}
	lead, der := c.SelfID, []byte(nil)
	if n := len(c.Chain); n > 0 {
		der = c.Chain[n-1].Certificate
	}
	if c.Lead != nil {
		lead, der = c.Lead.ID, c.Lead.Certificate
	}
	if der != nil {
		certificate, err := identity.ParseCertificate(der)
		if err != nil {
			return err
		}
		if _, err := statement.OpenWarrant(c.Warrant.Signed, certificate.PublicKey); err != nil {
			return err
		}
	}
	switch {
	case said.CrewID != c.ID || said.Lead != lead:
		return ErrOtherCrew
	case said.Deputy == lead || c.Lead != nil && said.DeputyFingerprint == c.Lead.Fingerprint:
		return ErrSelfNamed
	case said.Generation == 0 || said.Generation > c.Generation || said.Generation <= c.LeadSince():
		return errors.New("its generation is not one of this lead's")
	case said.NamesNobody() && c.Warrant.Deputy != nil:
		return errors.New("the pin of a deputy whom nobody named")
	case c.Role != RoleLead && c.Warrant.Door != "":
		return errors.New("a door that only the lead knows")
	}
	if d := c.Warrant.Deputy; d != nil {
		if err := errors.Join(CheckLabel(d.Label), CheckAddresses(d.Addresses)); err != nil {
			return err
		}
	}
	return errors.Join(checkDeputyPin(said, c.Warrant.Deputy), CheckDoor(c.Warrant.Door))
}

func (c *Crew) checkHeldBundle() error {
	said, _ := c.Warrant.Said()
	b := c.Bundle
	switch {
	case said.Deputy != c.SelfID:
		return ErrNotDeputy
	case b.Counter == 0 || b.Counter > maxGeneration:
		return errors.New("its counter is out of bounds")
	case len(b.Sealed) == 0 || len(b.Sealed) > sealed.Size(maxSignedBundle):
		return errors.New("its size is out of bounds")
	}
	return errors.Join(c.checkPeers(b.Witnesses), CheckDoor(b.Door))
}

// checkHandedOver compares what a new lead is to be told with the link that made
// it the lead.
func (c *Crew) checkHandedOver() error {
	if len(c.Chain) == 0 {
		return ErrChainLink
	}
	last := c.Chain[len(c.Chain)-1]
	if last.Handover == nil || !equalSigned(*last.Handover, c.HandedOver.Handover) {
		return ErrChainLink
	}
	former, err := identity.ParseCertificate(last.FormerCertificate)
	if err != nil {
		return err
	}
	said, err := statement.OpenBundle(c.HandedOver.Bundle.Signed, former.PublicKey)
	if err != nil {
		return err
	}
	if said.CrewID != c.ID || said.Deputy != c.Lead.ID || said.DeputyFingerprint != c.Lead.Fingerprint || said.Generation != last.Generation() {
		return ErrBundleAudience
	}
	if !said.Holds(c.HandedOver.Bundle.Content) {
		return ErrBundleContent
	}
	return nil
}

// checkPeers refuses a list of pins in which this node, or another one twice,
// occurs.
func (c *Crew) checkPeers(peers []Peer) error {
	if len(peers) > MaxMembers {
		return fmt.Errorf("%d peers, the most is %d", len(peers), MaxMembers)
	}
	unique := uniqueness{ids: map[string]bool{c.SelfID: true}, pins: map[identity.Fingerprint]bool{}}
	for _, p := range peers {
		if err := unique.addPeer(p.ID, p.Label, p.Fingerprint, p.Certificate, p.Addresses); err != nil {
			return fmt.Errorf("%q: %w", p.ID, err)
		}
	}
	return nil
}

func equalSigned(a, b statement.Signed) bool {
	return bytes.Equal(a.Statement, b.Statement) && bytes.Equal(a.Signature, b.Signature)
}
