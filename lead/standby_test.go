package lead

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/mesh/trust"
	"collie/node/api"
)

func TestAPhoneHearsOfTheDoorOfTheDeputyAndThatItIsNoMore(t *testing.T) {
	t.Parallel()
	now := noon
	h := newHerd(newMachine(), func() time.Time { return now })
	self, err := identity.Generate(rand.Reader, noon)
	must(t, err)
	crew := crewOf("atlas", "juno")
	crew.ID, err = statement.NewCrewID(rand.Reader)
	must(t, err)
	for i := range crew.Members {
		member, err := identity.Generate(rand.Reader, noon)
		must(t, err)
		crew.Members[i].State, crew.Members[i].Fingerprint = trust.StateEnrolled, member.Fingerprint()
	}
	check := func(when string, crew *trust.Crew, want *api.Standby) {
		t.Helper()
		before := merged(h, "")
		h.lead(crew, "build")
		got := merged(h, "")
		if diff := cmp.Diff(want, got.Standby); diff != "" {
			t.Errorf("%s: want - got +\n%s", when, diff)
		}
		if change, gone := api.Diff(&before, &got); change != nil {
			before = api.Apply(api.Apply(before, api.Event{Change: change}), api.Event{Gone: gone})
		}
		if diff := cmp.Diff(want, before.Standby); before.Mode == got.Mode && diff != "" {
			t.Errorf("%s, as a change: want - got +\n%s", when, diff)
		}
		if one := merged(h, "juno"); one.Standby != nil {
			t.Errorf("%s: one machine's herd names %v", when, one.Standby)
		}
	}
	named := func(old *trust.Crew, id, door string) *trust.Crew {
		t.Helper()
		before, err := trust.RevokeDeputy(old, self, noon)
		must(t, err)
		next, err := trust.NameDeputy(before, id, door, self, noon)
		must(t, err)
		return next
	}

	check("without a deputy", crew, nil)
	juno := named(crew, "juno", "https://door.example")
	check("with a door", juno, &api.Standby{Machine: "label of juno", URL: "https://door.example"})
	atlas := named(juno, "atlas", "http://127.0.0.1:8789")
	check("with another deputy", atlas, &api.Standby{Machine: "label of atlas", URL: "http://127.0.0.1:8789"})
	check("with a deputy without a door", named(atlas, "juno", ""), nil)
	check("with a door again", juno, &api.Standby{Machine: "label of juno", URL: "https://door.example"})
	nobody, err := trust.RevokeDeputy(juno, self, noon)
	must(t, err)
	check("once nobody is named", nobody, nil)
	now = noon.Add(trust.WarrantLife)
	check("once the warrant is dead", juno, nil)
	h.lead(juno, "build")
	h.dissolve()
	if got := merged(h, ""); got.Standby != nil {
		t.Errorf("a solo node names %v", got.Standby)
	}
}
