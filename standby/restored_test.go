package standby_test

import (
	"errors"
	"testing"

	"collie/mesh/trust"
	"collie/node/api"
	"collie/standby/door"
)

// putBack restores a stopped machine from a copy of its state, as a backup does.
func (m *machine) putBack(t *testing.T, copied []byte) {
	t.Helper()
	data, err := trust.RestoredFile(copied, false)
	if err != nil {
		t.Fatal(err)
	}
	m.stop()
	restore(t, m.path, data)
	m.start()
}

// A lead that was restored does not know what it has signed since; a member's
// first beat says that, and what it shows counts.
func TestARestoredLeadSignsNothingUntilAMemberHasBeenReached(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas := w.nodes["atlas"]
	copied := copyOf(t, atlas.path)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	high := atlas.crew().Generation
	w.sever("atlas", "juno")
	w.sever("atlas", "iris")
	atlas.putBack(t, copied)
	w.pass(2 * beat)
	_, err := atlas.standby.RevokeDeputy(t.Context())
	if !errors.Is(err, trust.ErrRestored) {
		t.Errorf("a revocation: %v", err)
	}
	if got := atlas.crew().Generation; got >= high || !atlas.crew().Restored {
		t.Errorf("alone it has counted to %d", got)
	}
	w.mend("atlas", "iris")
	w.pass(3 * beat)
	if crew := atlas.crew(); crew.Restored || crew.Generation != high {
		t.Errorf("after a member was reached it is at %d, restored %v", crew.Generation, crew.Restored)
	}
	if _, err := atlas.standby.NameDeputy(t.Context(), "iris", ""); err != nil {
		t.Error(err)
	}
}

func TestARestoredDeputysDoorIsColdAndARestoredMemberIsNoWitness(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	juno, iris := w.nodes["juno"], w.nodes["iris"]
	deputy, witness := copyOf(t, juno.path), copyOf(t, iris.path)
	w.nodes["atlas"].stop()
	iris.putBack(t, witness)
	w.pass(arm + beat)
	_, err := juno.standby.TakeOver(t.Context(), "pixel", false)
	if code := api.AsError(err).Code; code != "no_witness" {
		t.Errorf("with a restored witness the tap is answered %s", code)
	}
	juno.putBack(t, deputy)
	w.pass(arm + beat)
	_, err = juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "at a restored deputy", err, door.ErrCold)
	w.nodes["atlas"].start()
	w.pass(3 * beat)
	for _, m := range []*machine{juno, iris} {
		if m.crew().Restored {
			t.Errorf("%s has heard its lead, and waits still", m.name)
		}
	}
}
