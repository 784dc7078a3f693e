package standby_test

import (
	"testing"

	"collie/mesh/trust"
	"collie/node/site"
	"collie/standby"
)

// silence kills a lead and lets the door of its deputy arm.
func (w *world) silence(lead string) {
	w.nodes[lead].stop()
	w.pass(arm + beat)
}

func TestADeadLeadsDeputyTakesOverAndEverybodyFollows(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	atlas, juno := w.nodes["atlas"], w.nodes["juno"]
	if view := juno.standby.View(); view.Armed || view.Reason == "" {
		t.Fatalf("the door of a healthy crew is %+v", view)
	}
	ids := map[string]string{}
	for _, m := range atlas.crew().Members {
		ids[m.Label] = m.ID
	}
	w.nodes["rhea"].stop() // it is away
	w.silence("atlas")
	view := juno.standby.View()
	if !view.Armed || view.SilentFor < arm || view.Witnesses != 2 || view.Lead != "atlas" || view.Machine != "juno" {
		t.Fatalf("the door is %+v", view)
	}
	if device, err := juno.standby.Authenticate("good"); device != "pixel" || err != nil {
		t.Errorf("a paired token: %q, %v", device, err)
	}
	_, err := juno.standby.Authenticate("old")
	refused(t, "an expired token", err, site.ErrExpired)
	_, err = juno.standby.Authenticate("bad")
	refused(t, "an unknown token", err, site.ErrNotPaired)

	url, err := juno.standby.TakeOver(t.Context(), "pixel", false)
	if err != nil || url != "https://juno.example" {
		t.Fatalf("the takeover: %q, %v", url, err)
	}
	juno.standby.Wait()
	w.leads("after the tap, without a beat", "juno")
	if got := juno.devices; len(got) != 2 || got[0].Label != "pixel" {
		t.Errorf("the devices are %+v", got)
	}
	if again, err := juno.standby.TakeOver(t.Context(), "pixel", false); again != url || err != nil {
		t.Errorf("a second tap: %q, %v", again, err)
	}
	if view := juno.standby.View(); view.Armed || view.URL != url {
		t.Errorf("afterwards the door is %+v", view)
	}
	w.nodes["rhea"].start()
	w.pass(beat)
	w.leads("who was away", "juno")
	atlas.start()
	w.pass(2 * beat)
	w.leads("the old lead", "juno")
	for _, m := range juno.crew().Members {
		if m.State != trust.StateEnrolled {
			t.Errorf("%s is %s", m.ID, m.State)
		}
		if want, was := ids[m.Label]; was && want != m.ID || m.Label == "atlas" && m.ID != "atlas" {
			t.Errorf("%s has the id %s now", m.Label, m.ID)
		}
	}
	if len(juno.crew().Members) != 3 || len(atlas.forgot) == 0 {
		t.Errorf("%d members; the old lead forgot %v", len(juno.crew().Members), atlas.forgot)
	}
}

func TestOnlyTheSecondTapGoesOnWithoutAWitness(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.sever("juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"].standby
	_, err := juno.TakeOver(t.Context(), "pixel", false)
	refused(t, "the first tap", err, standby.ErrNoWitness)
	if _, err := juno.TakeOver(t.Context(), "pixel", true); err != nil {
		t.Errorf("the second tap: %v", err)
	}
	w.mend("juno", "iris")
	w.pass(beat)
	w.leads("with the network back", "juno")
}

func TestACrewOfTwoNeedsNoWitness(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno")
	w.silence("atlas")
	juno := w.nodes["juno"].standby
	if view := juno.View(); !view.Armed || view.Witnesses != 0 {
		t.Errorf("the door is %+v", view)
	}
	if _, err := juno.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Error(err)
	}
	w.nodes["atlas"].start()
	w.pass(2 * beat)
	w.leads("the old lead back", "juno")
}

// A crash just before the decision is stored has changed nothing; one just after
// it leaves a lead that goes on by itself.
func TestACrashAroundTheDecision(t *testing.T) {
	t.Parallel()
	for _, persists := range []bool{false, true} {
		w := crewOf(t, "atlas", "juno", "iris")
		w.silence("atlas")
		juno := w.nodes["juno"]
		juno.disk.Fail("rename", persists)
		_, err := juno.standby.TakeOver(t.Context(), "pixel", false)
		refused(t, "the disk refuses", err, standby.ErrNotStored)
		if role := juno.crew().Role; role != trust.RoleMember {
			t.Errorf("in memory juno is %s", role)
		}
		juno.disk.Heal()
		juno.stop()
		juno.start()
		want := trust.RoleMember
		if persists {
			want = trust.RoleLead
		}
		if got := juno.crew().Role; got != want {
			t.Fatalf("started again, with a write that persisted %v, juno is %s", persists, got)
		}
		if persists {
			w.pass(beat)
			w.leads("after the crash", "juno")
			if len(juno.devices) != 2 {
				t.Errorf("%d devices", len(juno.devices))
			}
		}
	}
}

func TestADecisionWhoseDevicesWaitForTheDiskIsCarriedOnByTheNextTap(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"]
	juno.full = true
	_, err := juno.standby.TakeOver(t.Context(), "pixel", false)
	refused(t, "the first tap", err, standby.ErrNotOpen)
	if crew := juno.crew(); crew.Role != trust.RoleLead || crew.Inherited == nil {
		t.Errorf("juno is %s", crew.Role)
	}
	if view := juno.standby.View(); !view.Armed || view.URL != "" {
		t.Errorf("the door is %+v", view)
	}
	if device, err := juno.standby.Authenticate("good"); device != "pixel" || err != nil {
		t.Errorf("the phone at the door: %q, %v", device, err)
	}
	juno.full = false
	if url, err := juno.standby.TakeOver(t.Context(), "pixel", false); err != nil || url != "https://juno.example" {
		t.Errorf("the next tap: %q, %v", url, err)
	}
	w.pass(beat)
	w.leads("afterwards", "juno")
}

func TestMembersHearThatTheDeputyIsFoundElsewhere(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, iris := w.nodes["atlas"], w.nodes["iris"]
	w.must(atlas.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.SetAddresses(old, "juno", []string{"juno.example:8788"})
	}))
	w.pass(beat)
	if got := iris.crew().Warrant.Deputy.Addresses; len(got) != 2 || got[0] != "juno.example:8788" {
		t.Errorf("iris looks for the deputy at %q", got)
	}
	old := copyOf(t, iris.path)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	iris.stop()
	restore(t, iris.path, old)
	iris.start()
	w.pass(2 * beat)
	if said, _ := iris.crew().Warrant.Said(); !said.NamesNobody() {
		t.Error("a member whose state is an old copy does not hear of the revocation")
	}
}
