package trust_test

import (
	"errors"
	"testing"

	"collie/mesh/trust"
)

// restored is a crew as it comes out of a backup.
func restored(t *testing.T, c *trust.Crew, keepDevices bool) *trust.Crew {
	t.Helper()
	data, err := trust.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = trust.RestoredFile(data, keepDevices); err != nil {
		t.Fatal(err)
	}
	next, err := trust.Decode(data)
	return must(t)(next, err)
}

func TestARestoredNodeSignsAwayNothingAndObeysNoTakeoverBeforeAPeerHasShownItsGeneration(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	signer := owner(t, barn)
	lead, plain := restored(t, f.barn, true), restored(t, leading(t), true)
	member, deputy := restored(t, f.box, true), restored(t, f.atlas, true)
	b, err := trust.OpenBundle(f.atlas, f.key)
	if err != nil {
		t.Fatal(err)
	}
	taken := f.takenOver(t, 1)
	for name, c := range map[string]struct {
		before *trust.Crew
		change func(*trust.Crew) (*trust.Crew, error)
	}{
		"naming":       {plain, func(c *trust.Crew) (*trust.Crew, error) { return trust.NameDeputy(c, "atlas", "", signer, at(1)) }},
		"revoking":     {lead, func(c *trust.Crew) (*trust.Crew, error) { return trust.RevokeDeputy(c, signer, at(1)) }},
		"refreshing":   {lead, func(c *trust.Crew) (*trust.Crew, error) { return trust.RefreshWarrant(c, signer, at(1)) }},
		"taking over":  {deputy, func(c *trust.Crew) (*trust.Crew, error) { return trust.TakeOver(c, b, owner(t, atlas), at(1)) }},
		"handing over": {must(t)(trust.Approve(plain, "box", at(1))), func(c *trust.Crew) (*trust.Crew, error) { return trust.HandOver(c, fp(t, box), nil, signer, at(1)) }},
		"obeying": {member, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Obey(c, taken.Chain, trust.Hint{}, fp(t, atlas), fp(t, box), at(1))
		}},
		"being asked": {member, func(c *trust.Crew) (*trust.Crew, error) {
			return nil, trust.Probe(c, standing(t, f.barn), fp(t, atlas), fp(t, box), at(1))
		}},
	} {
		storesNothing(t, name, c.before, trust.ErrRestored, c.change)
	}
	for name, c := range map[string]struct {
		crew       *trust.Crew
		number     byte
		generation uint64
		over       bool
	}{
		"a member that is as far":   {lead, box, 2, true},
		"one that is behind":        {lead, box, 1, true},
		"one that knows more":       {lead, box, 3, false},
		"one that says nothing":     {lead, box, 0, false},
		"a stranger":                {lead, alien, 2, false},
		"the lead, at a member":     {member, barn, 2, true},
		"the deputy, at a member":   {member, atlas, 2, false},
		"a witness, at the deputy":  {deputy, box, 2, false},
		"the lead, at its deputy":   {deputy, barn, 2, true},
		"a lead that knows of more": {member, barn, 3, false},
	} {
		if next := must(t)(trust.Shown(c.crew, fp(t, c.number), c.generation)); next.Restored == c.over {
			t.Errorf("%s: restored is %v", name, next.Restored)
		}
	}
	shown := must(t)(trust.Shown(lead, fp(t, box), 2))
	if _, err := trust.RevokeDeputy(shown, signer, at(1)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	// What is proven counts at any time.
	if next := must(t)(trust.Follow(member, taken.Chain, trust.Hint{}, fp(t, box))); next.Lead.ID != "atlas" {
		t.Error("it does not follow a chain that another brings")
	}
}

func TestDevicesThatWereInheritedComeBackOnlyWhereTheyAreKept(t *testing.T) {
	t.Parallel()
	lead := newFarm(t).takenOver(t, 1)
	if n := len(restored(t, lead, false).Inherited.Devices); n != 0 {
		t.Errorf("%d devices come back", n)
	}
	if n := len(restored(t, lead, true).Inherited.Devices); n != 2 {
		t.Errorf("of two devices %d are kept", n)
	}
	if _, err := trust.RestoredFile([]byte(`{"version":1}`), true); !errors.Is(err, trust.ErrInvalid) {
		t.Errorf("what is no crew: %v", err)
	}
}
