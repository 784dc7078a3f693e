package trust_test

import (
	"errors"
	"testing"

	"collie/mesh/trust"
)

func TestANodeIsMeantByItsIdOrByALabelThatIsItsAlone(t *testing.T) {
	t.Parallel()
	lead := must(t)(trust.Rename(leading(t), "box", "Juno the Big"))
	twice := *lead // as a crew of before labels were looked at
	twice.Members = append([]trust.Member{}, lead.Members...)
	twice.Members[0].Label, twice.Members[1].Label = "Sun", "sun"
	member := following(t, lead, barn, atlas)
	for _, c := range []struct {
		crew *trust.Crew
		name string
		want string
		err  error
	}{
		{lead, "box", "box", nil},
		{lead, "Juno the Big", "box", nil},
		{lead, "juno the big", "box", nil},
		{lead, "barn", "barn", nil},
		{lead, "moon", "", trust.ErrNoMember},
		{lead, "", "", trust.ErrNoMember},
		{&twice, "sun", "", trust.ErrAmbiguous},
		{&twice, "atlas", "atlas", nil},
		{member, "barn", "barn", nil},
		{nil, "barn", "", trust.ErrNoMember},
	} {
		if got, err := c.crew.Resolve(c.name); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q is %q, %v; want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
}

func TestNoTwoNodesGetOneLabel(t *testing.T) {
	t.Parallel()
	lead := invited(t, leading(t), "token", start)
	for id, label := range map[string]string{"box": "Atlas", "barn": "CART", "atlas": "barn"} {
		storesNothing(t, id, lead, trust.ErrLabelTaken, func(old *trust.Crew) (*trust.Crew, error) { return trust.Rename(old, id, label) })
	}
	if next := must(t)(trust.Rename(lead, "box", "Box")); next.Members[1].Label != "Box" {
		t.Error("its own label in another case is refused")
	}
	storesNothing(t, "a joiner", lead, trust.ErrLabelTaken, func(old *trust.Crew) (*trust.Crew, error) {
		next, _, err := trust.Admit(old, trust.Admission{Token: "token", Certificate: node(t, 4), Label: "Box", Own: fp(t, barn)}, start)
		return next, err
	})
	// One whose try to join broke off may come with another key, under its label.
	next, _, err := trust.Admit(lead, trust.Admission{Token: "token", Certificate: node(t, 4), Label: "sun", Own: fp(t, barn)}, start)
	next = invited(t, must(t)(next, err), "again", start)
	if _, m, err := trust.Admit(next, trust.Admission{Token: "again", Certificate: node(t, 5), Label: "sun", Own: fp(t, barn)}, start); err != nil || m.ID != "sun-2" {
		t.Errorf("it is %q, %v", m.ID, err)
	}
}

func TestALeadNeitherRemovesNorApprovesItself(t *testing.T) {
	t.Parallel()
	lead := leading(t)
	storesNothing(t, "removing", lead, trust.ErrThisNode, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RemoveMember(old, "barn", owner(t, barn), at(1))
	})
	storesNothing(t, "approving", lead, trust.ErrThisNode, func(old *trust.Crew) (*trust.Crew, error) { return trust.Approve(old, "barn", at(1)) })
}
