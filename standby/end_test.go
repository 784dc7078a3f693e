package standby_test

import (
	"testing"

	"collie/mesh/trust"
	"collie/standby"
)

// While the deputy cannot be told that it is no more, nothing is done that a
// takeover of it would make a second lead of.
func TestWhileTheDeputyIsAwayNeitherAnotherOneIsNamedNorTheCrewHandedOver(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	atlas, juno, iris := w.nodes["atlas"], w.nodes["juno"], w.nodes["iris"]
	if _, err := atlas.standby.Approve("iris"); err != nil {
		t.Fatal(err)
	}
	w.sever("juno", "atlas")
	w.pass(beat)
	before := w.snapshot()
	_, err := atlas.standby.NameDeputy(t.Context(), "iris", "")
	refused(t, "another deputy", err, standby.ErrDeputyStands)
	_, err = atlas.standby.Approve("rhea")
	refused(t, "an approval", err, standby.ErrDeputyStands)
	_, err = iris.standby.Promote(t.Context())
	refused(t, "the claim that was approved before", err, standby.ErrDeputyStands)
	w.unchanged("refused", before)
	w.mend("juno", "atlas")
	w.pass(beat)
	if _, err := atlas.standby.NameDeputy(t.Context(), "iris", ""); err != nil {
		t.Errorf("with the deputy back: %v", err)
	}
	if said, _ := juno.crew().Warrant.Said(); said.Deputy == "juno" {
		t.Error("the deputy before has not heard that it is no more")
	}
}

// One that goes away between the question and its revocation has not confirmed
// it: the operator hears that, and says again that it is to go on.
func TestADeputyThatGoesAwayMeanwhileIsSaidNotToHaveHeard(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*world) error{
		"naming": func(w *world) error {
			_, err := w.nodes["atlas"].standby.NameDeputy(w.t.Context(), "iris", "")
			return err
		},
		"handing over": func(w *world) error {
			if _, err := w.nodes["atlas"].standby.Approve("iris"); err != nil {
				return err
			}
			_, err := w.nodes["iris"].standby.Promote(w.t.Context())
			return err
		},
	} {
		w := crewOf(t, "atlas", "juno", "iris")
		w.sever("juno", "atlas")
		refused(t, name, again(w), standby.ErrDeputyUnheard)
		if said, _ := w.nodes["atlas"].crew().Warrant.Said(); !said.NamesNobody() || w.nodes["atlas"].crew().Role != trust.RoleLead {
			t.Errorf("%s: atlas is %s, and its deputy %q", name, w.nodes["atlas"].crew().Role, said.Deputy)
		}
		if err := again(w); err != nil {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// The deputy hears of its own promotion by getting it.
func TestTheDeputyItselfIsHandedTheCrewWithoutARevocation(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	high := w.nodes["atlas"].crew().Generation
	if _, err := w.nodes["atlas"].standby.Approve("juno"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.nodes["juno"].standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.pass(2 * beat)
	w.leads("the deputy", "juno")
	if got := w.nodes["juno"].crew().Generation; got != high+1 {
		t.Errorf("its generation is %d, want %d", got, high+1)
	}
}
