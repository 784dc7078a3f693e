package standby_test

import (
	"testing"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestOnlyALeadThatWasAwayFromARotationIsParkedForIt(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	if _, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	atlas := w.nodes["atlas"]
	atlas.start()
	atlas.turnedAway = true
	w.pass(2 * beat)
	if role := atlas.crew().Role; role != trust.RoleMember {
		t.Fatalf("after a moment it is %s", role)
	}
	w.pass(3 * beat)
	if crew := atlas.crew(); crew.Role != trust.RoleDeposed || crew.Parked != trust.ParkedStranded {
		t.Errorf("the old lead is %s, %s", crew.Role, crew.Parked)
	}
	iris := w.nodes["iris"]
	iris.turnedAway = true
	w.pass(4 * beat)
	if role := iris.crew().Role; role != trust.RoleMember {
		t.Errorf("a member is %s", role)
	}
}

func TestALeadOfAnotherTimeIsDeposedByWhatItSigned(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	if _, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Fatal(err)
	}
	// juno goes away at once; iris has followed, and tells the old lead.
	w.nodes["juno"].standby.Wait()
	w.nodes["juno"].stop()
	atlas := w.nodes["atlas"]
	atlas.start()
	w.pass(beat)
	if crew := atlas.crew(); crew.Role != trust.RoleMember || crew.Lead.ID != "juno" {
		t.Errorf("the old lead is %s of %+v", crew.Role, crew.Lead)
	}
}

func TestAnUnprovenClaimDeposesNobody(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	before := w.snapshot()
	iris := w.nodes["iris"]
	warrant := w.nodes["juno"].crew().Warrant.Signed
	forged, err := statement.Sign(iris.id, statement.Handover{
		CrewID: iris.crew().ID, Generation: 9, NewLead: "iris", NewLeadFingerprint: iris.fp(), At: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]trust.Change{
		"a warrant without the takeover": {Warrant: &warrant, Certificate: w.nodes["juno"].id.Certificate()},
		"a handover of another key":      {Handover: &forged, Certificate: iris.id.Certificate()},
		"nothing":                        {Certificate: iris.id.Certificate()},
	} {
		link.FormerID, link.FormerCertificate = "atlas", w.nodes["atlas"].id.Certificate()
		w.nodes["atlas"].standby.Conflicted("iris", conflict("iris", link))
		w.unchanged(name, before)
	}
}

func TestARolledBackLeadCountsOnFromItsOwnWarrant(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas := w.nodes["atlas"]
	old := copyOf(t, atlas.path)
	if _, err := atlas.standby.NameDeputy(t.Context(), "iris", ""); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	high := atlas.crew().Generation
	atlas.stop()
	restore(t, atlas.path, old)
	atlas.start()
	if atlas.crew().Generation >= high {
		t.Fatal("not rolled back")
	}
	w.pass(2 * beat)
	if said, _ := atlas.crew().Warrant.Said(); atlas.crew().Generation < high || said.Deputy != "iris" {
		t.Errorf("generation %d, deputy %q", atlas.crew().Generation, said.Deputy)
	}
	if _, err := atlas.standby.NameDeputy(t.Context(), "juno", ""); err != nil {
		t.Fatal(err)
	}
	if got := atlas.crew().Generation; got != high+2 { // the revocation of iris comes between
		t.Errorf("the next warrant has the generation %d, want %d", got, high+2)
	}
}
