package trust

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"collie/crypto/identity"
)

// A Claim is what a node says in its hello about itself and, where it leads,
// about the crew. What is empty is not claimed.
type Claim struct {
	// Addresses are where it can be dialled.
	Addresses []string `json:"addresses,omitempty"`
	// CrewName, Label and YourLabel are a lead's: what the crew, the lead itself
	// and the member that it speaks to are called.
	CrewName  string `json:"crewName,omitempty"`
	Label     string `json:"label,omitempty"`
	YourLabel string `json:"yourLabel,omitempty"`
}

// Learn takes over what a peer claims. A lead is believed in names and in its
// own addresses, a member in its own addresses alone: an address is where a
// certificate is looked for, and never who is there. It returns old itself when
// nothing is new.
func Learn(old *Crew, from identity.Fingerprint, claim Claim) (*Crew, error) {
	id, grade := old.Pin(from)
	if grade != GradeLead && grade != GradeMember {
		return old, nil
	}
	if err := CheckAddresses(claim.Addresses); err != nil {
		return nil, err
	}
	next := old.clone()
	if grade == GradeMember {
		m := &next.Members[next.indexOf(id)]
		if !renew(&m.Addresses, claim.Addresses) {
			return old, nil
		}
		return next, nil
	}
	lead := *old.Lead
	changed := renew(&lead.Addresses, claim.Addresses)
	for _, name := range []struct {
		held  *string
		said  string
		check func(string) error
	}{
		{&next.Name, claim.CrewName, CheckCrewName},
		{&lead.Label, claim.Label, CheckLabel},
		{&next.SelfLabel, claim.YourLabel, CheckLabel},
	} {
		if name.said == "" || name.said == *name.held {
			continue
		}
		if err := name.check(name.said); err != nil {
			return nil, err
		}
		*name.held, changed = name.said, true
	}
	if !changed {
		return old, nil
	}
	next.Lead = &lead
	return next, nil
}

// renew replaces addresses by those that are claimed, if any are and differ.
func renew(held *[]string, claimed []string) bool {
	if len(claimed) == 0 || slices.Equal(*held, claimed) {
		return false
	}
	*held = slices.Clone(claimed)
	return true
}

// AddressesOf returns where the lead or a member is dialled: what the operator
// said here, and then what it says itself.
func (c *Crew) AddressesOf(id string) []string {
	if c == nil {
		return nil
	}
	all := slices.Clone(c.Given[id])
	said := []string(nil)
	if c.Lead != nil && c.Lead.ID == id {
		said = c.Lead.Addresses
	} else if i := c.indexOf(id); i >= 0 {
		said = c.Members[i].Addresses
	}
	for _, address := range said {
		if !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all[:min(len(all), MaxAddresses)]
}

// SetAddresses notes where the operator says that the lead or a member is found.
// Without any, what was said before is forgotten.
func SetAddresses(old *Crew, id string, addresses []string) (*Crew, error) {
	switch {
	case old == nil:
		return nil, ErrSolo
	case !old.knows(id):
		return nil, fmt.Errorf("%w: %q", ErrNoMember, id)
	}
	if err := CheckAddresses(addresses); err != nil {
		return nil, err
	}
	next := old.clone()
	next.Given = map[string][]string{}
	for other, given := range old.Given {
		if other != id && old.knows(other) {
			next.Given[other] = given
		}
	}
	if len(addresses) > 0 {
		next.Given[id] = slices.Clone(addresses)
	}
	return next, nil
}

// knows says whether an id is of the lead or of a member.
func (c *Crew) knows(id string) bool { return c.Lead != nil && c.Lead.ID == id || c.indexOf(id) >= 0 }

// checkGiven leaves open whom the addresses are of: a change of lead keeps them.
func (c *Crew) checkGiven() error {
	if len(c.Given) > MaxMembers+1 {
		return fmt.Errorf("addresses of %d nodes, the most is %d", len(c.Given), MaxMembers+1)
	}
	for id, addresses := range c.Given {
		if !ValidID(id) || len(addresses) == 0 {
			return fmt.Errorf("addresses of %q, which is no member id, or none", id)
		}
		if err := CheckAddresses(addresses); err != nil {
			return err
		}
	}
	return nil
}

// gone forgets what a crew keeps about a member that it has no more. It changes
// c, which is nobody else's yet.
func (c *Crew) gone(id string) {
	c.settled(id)
	if c.Given[id] != nil {
		c.Given = maps.Clone(c.Given)
		delete(c.Given, id)
	}
}

// Rename gives a member, or the lead itself, another label, which nobody else
// has. Its id stays.
func Rename(old *Crew, id, label string) (*Crew, error) {
	if err := errors.Join(mustLead(old), CheckLabel(label)); err != nil {
		return nil, err
	}
	i := old.indexOf(id)
	if id != old.SelfID && i < 0 {
		return nil, fmt.Errorf("%w: %q", ErrNoMember, id)
	}
	if err := old.checkLabelFree(id, label); err != nil {
		return nil, err
	}
	next := old.clone()
	if id == old.SelfID {
		next.SelfLabel = label
		return next, nil
	}
	next.Members[i].Label = label
	return next, nil
}

// RenameCrew gives the crew another name. Its id stays.
func RenameCrew(old *Crew, name string) (*Crew, error) {
	if err := errors.Join(mustLead(old), CheckCrewName(name)); err != nil {
		return nil, err
	}
	next := old.clone()
	next.Name = name
	return next, nil
}
