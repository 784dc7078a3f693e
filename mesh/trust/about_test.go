package trust_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/mesh/trust"
)

// followed is a member, atlas, of the crew that founded leads.
func followed(t testing.TB) *trust.Crew {
	t.Helper()
	return must(t)(trust.Join(nil, trust.Joined{
		ID: founded(t).ID, Name: "barn", Generation: 1, Secret: firstSecret, SecretGeneration: 1, Self: trust.Self{SelfID: "atlas", SelfLabel: "atlas"},
		Lead:    trust.Lead{ID: "lead", Label: "lead", Fingerprint: node(t, own).Fingerprint, Certificate: node(t, own).DER, Addresses: []string{"10.0.0.1:8788"}},
		Dialled: "lead.example:8788",
	}))
}

func TestALeadIsBelievedInNamesAndAddresses(t *testing.T) {
	t.Parallel()
	c := followed(t)
	claim := trust.Claim{CrewName: "stable", Label: "Lead box", YourLabel: "Atlas", Addresses: []string{"10.0.0.2:8788", "lead.example:8788"}}
	next := must(t)(trust.Learn(c, node(t, own).Fingerprint, claim))
	if next.Name != "stable" || next.Lead.Label != "Lead box" || next.SelfLabel != "Atlas" || next.SelfID != "atlas" || next.Lead.ID != "lead" {
		t.Errorf("it learned %+v, %+v", next, next.Lead)
	}
	if got := next.AddressesOf("lead"); !slices.Equal(got, []string{"lead.example:8788", "10.0.0.2:8788"}) {
		t.Errorf("the lead is looked for at %v", got)
	}
	if c.Name != "barn" || c.Lead.Label != "lead" {
		t.Error("the old snapshot changed")
	}
	for what, claim := range map[string]trust.Claim{"the same": claim, "nothing": {}} {
		if must(t)(trust.Learn(next, node(t, own).Fingerprint, claim)) != next {
			t.Errorf("%s is a change", what)
		}
	}
	for what, claim := range map[string]trust.Claim{
		"a name of two lines": {CrewName: "a\nb"}, "a label with a bidi mark": {Label: "a\u202eb"}, "no label": {YourLabel: " "},
		"no port": {Addresses: []string{"host"}}, "nine addresses": {Addresses: strings.Split(strings.Repeat("h:1,", 8)+"h:1", ",")},
	} {
		if err := last(trust.Learn(c, node(t, own).Fingerprint, claim)); !errors.Is(err, trust.ErrLabel) && !errors.Is(err, trust.ErrAddress) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAMemberIsBelievedInItsOwnAddressesAlone(t *testing.T) {
	t.Parallel()
	c := crewOf(t)
	claim := trust.Claim{CrewName: "stable", Label: "lead of all", YourLabel: "nobody", Addresses: []string{"10.0.0.9:8788"}}
	next := must(t)(trust.Learn(c, node(t, 1).Fingerprint, claim))
	if m, _ := next.Member("atlas"); next.Name != "barn" || next.SelfLabel != "Lead box" || m.Label != "atlas" || !slices.Equal(m.Addresses, claim.Addresses) {
		t.Errorf("it learned %+v", next)
	}
	for what, number := range map[string]byte{"a member that is not confirmed": 2, "a stranger": 9} {
		if must(t)(trust.Learn(c, node(t, number).Fingerprint, claim)) != c {
			t.Errorf("%s is believed", what)
		}
	}
	if next, err := trust.Learn(nil, node(t, 1).Fingerprint, claim); next != nil || err != nil {
		t.Errorf("a solo node learns %+v, %v", next, err)
	}
}

func TestWhatTheOperatorSaidOfAnAddressStaysBesideWhatTheMachineSays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	said, given := "10.0.0.9:8788", "juno.example:8788"
	c := must(t)(trust.SetAddresses(crewOf(t), "atlas", []string{given}))
	c = must(t)(trust.Learn(c, node(t, 1).Fingerprint, trust.Claim{Addresses: []string{said}}))
	if err := open(t, path).Update(set(c)); err != nil {
		t.Fatal(err)
	}
	if got := open(t, path).Crew().AddressesOf("atlas"); !slices.Equal(got, []string{given, said}) {
		t.Errorf("it is looked for at %v", got)
	}
	if got := must(t)(trust.SetAddresses(c, "atlas", nil)).AddressesOf("atlas"); !slices.Equal(got, []string{said}) {
		t.Errorf("after that was forgotten at %v", got)
	}
	if got := must(t)(trust.RemoveMember(c, "atlas", nil, start)).Given; len(got) != 0 {
		t.Errorf("of a member that is gone is kept %v", got)
	}
	for what, err := range map[error]error{
		trust.ErrNoMember: last(trust.SetAddresses(c, "nobody", []string{given})),
		trust.ErrAddress:  last(trust.SetAddresses(c, "atlas", []string{"here"})),
		trust.ErrSolo:     last(trust.SetAddresses(nil, "atlas", []string{given})),
	} {
		if !errors.Is(err, what) {
			t.Errorf("%v, want %v", err, what)
		}
	}
	if got := must(t)(trust.SetAddresses(followed(t), "lead", []string{given})).AddressesOf("lead"); !slices.Equal(got, []string{given, "10.0.0.1:8788"}) {
		t.Errorf("a member looks for its lead at %v", got)
	}
}

func TestRenamingKeepsIDs(t *testing.T) {
	t.Parallel()
	c := must(t)(trust.Rename(must(t)(trust.RenameCrew(crewOf(t), "stable")), "atlas", "Juno"))
	c = must(t)(trust.Rename(c, "lead-box", "Atlas"))
	if m, _ := c.Member("atlas"); c.Name != "stable" || m.Label != "Juno" || c.SelfLabel != "Atlas" || c.SelfID != "lead-box" || c.ID != founded(t).ID {
		t.Errorf("the crew is %+v", c)
	}
	for what, err := range map[error]error{
		trust.ErrNoMember: last(trust.Rename(c, "nobody", "x")),
		trust.ErrLabel:    errors.Join(last(trust.Rename(c, "atlas", "a/b")), last(trust.RenameCrew(c, ""))),
		trust.ErrNotLead:  errors.Join(last(trust.Rename(followed(t), "atlas", "x")), last(trust.RenameCrew(followed(t), "x"))),
	} {
		if !errors.Is(err, what) {
			t.Errorf("%v, want %v", err, what)
		}
	}
}
