package trust

import "slices"

// changeOfLead returns which of two crews counts when the disk refuses a change
// of role or lead, or nil if it is none.
//
// Who would lead, or come back from being parked, gains by it and stays what it
// is. Who was deposed, or learned that its lead was replaced, has lost at once
// what it had. A lead that hands over signs only what is stored, and so it stays
// the lead.
func changeOfLead(old, next *Crew) *Crew {
	switch {
	case old.Role == RoleLead && next.Role != RoleLead:
		if next.HandedOver != nil {
			return old
		}
		return next
	case next.Role == RoleDeposed && old.Role != RoleDeposed:
		return next
	case old.Role != next.Role:
		return old
	case old.Lead != nil && old.Lead.Fingerprint != next.Lead.Fingerprint:
		return next
	}
	return nil
}

// loseOffices takes from c what it has of a succession and what next has not:
// the deputy's pin, the bundle and its witnesses, an approval, those to be told.
// A revocation counts as well, though it must not leave the node before it is
// stored.
func (c *Crew) loseOffices(next *Crew) {
	if c.Warrant != nil {
		c.loseDeputy(next)
	}
	if c.Handover != nil && (next.Handover == nil || *next.Handover != *c.Handover) {
		c.Handover = nil
	}
	if next.HandedOver == nil {
		c.HandedOver = nil
	}
	if c.Bundle != nil {
		c.loseWitnesses(next.Bundle)
	}
	c.ToTell = slices.DeleteFunc(slices.Clone(c.ToTell), func(p Peer) bool {
		grade := next.Grade(p.Fingerprint)
		return grade == GradeNone || grade == GradeEnded
	})
	// What such a deputy was is lost, and to be told so is no right.
	c.Ended = slices.DeleteFunc(slices.Clone(next.Ended), func(e Ended) bool { return e.Generation > c.Generation })
}

func (c *Crew) loseDeputy(next *Crew) {
	if next.Warrant == nil {
		c.Warrant, c.Bundle, c.Bundled = nil, nil, nil
		return
	}
	said, _ := next.Warrant.Said()
	revoked := said.NamesNobody() && said.Generation > c.Generation
	if c.Role == RoleLead && !revoked {
		return // another deputy is named once that is stored
	}
	if had, has := c.Warrant.Deputy, next.Warrant.Deputy; !revoked && (had == nil || has != nil && has.Fingerprint == had.Fingerprint) {
		return
	}
	c.Warrant, c.Generation = next.Warrant.pinless(), next.Generation
	c.Bundle, c.Bundled = nil, nil
}

func (c *Crew) loseWitnesses(next *HeldBundle) {
	if next == nil {
		c.Bundle = nil
		return
	}
	kept := *c.Bundle
	kept.Witnesses = slices.DeleteFunc(slices.Clone(kept.Witnesses), func(p Peer) bool {
		return !slices.ContainsFunc(next.Witnesses, func(other Peer) bool { return other.Fingerprint == p.Fingerprint })
	})
	c.Bundle = &kept
}
