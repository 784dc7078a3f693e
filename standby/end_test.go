package standby_test

import (
	"context"
	"errors"
	"testing"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
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

// A member that follows another lead, by a chain that says nothing to the
// deputy, has answered its question; a second tap changes nothing about that.
func TestAMemberThatFollowsAnotherLeadStopsTheTakeoverByName(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	w.silence("atlas")
	juno, iris := w.nodes["juno"], w.nodes["iris"]
	turned := mesh.Link{State: mesh.StateConflicted, Cause: &mesh.ConflictError{Conflict: conflict("rhea")}}
	juno.standby.End()
	juno.standby.Begin(standby.Node{Identity: juno.id, Peers: turnedAway{peers{juno}, iris.fp(), turned}})
	for _, alone := range []bool{false, true} {
		_, err := juno.standby.TakeOver(t.Context(), "pixel", alone)
		refused(t, "a tap", err, standby.ErrSuperseded)
		if said := api.AsError(err); said.Host != "iris" || said.Detail != "It is iris that follows another lead, rhea." {
			t.Errorf("it says %q of %q", said.Detail, said.Host)
		}
	}
	if juno.crew().Role != trust.RoleMember {
		t.Error("it leads")
	}
}

// The deputy now has the one before among its witnesses: it is told first that
// it is one no more, and is a witness then.
func TestTheDeputyBeforeHearsItFromTheDeputyNowAndIsItsWitnessThen(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno, iris := w.nodes["atlas"], w.nodes["juno"], w.nodes["iris"]
	w.sever("juno", "atlas")
	w.sever("juno", "iris")
	w.pass(beat)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := atlas.standby.NameDeputy(t.Context(), "iris", ""); err != nil {
		t.Fatal(err)
	}
	w.pass(2 * beat)
	if grade := iris.crew().Grade(juno.fp()); grade != trust.GradeEnded {
		t.Fatalf("iris has the one before it as %q", grade)
	}
	atlas.stop()
	w.pass(arm)
	w.mend("juno", "iris")
	_, err := juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "its tap", err, standby.ErrSuperseded)
	w.pass(2 * beat)
	if said, _ := juno.crew().Warrant.Said(); said.Deputy != "iris" {
		t.Errorf("it takes %q for the deputy", said.Deputy)
	}
	if grade := iris.crew().Grade(juno.fp()); grade != trust.GradeWitness {
		t.Errorf("having heard it, it is %q", grade)
	}
	if _, err := iris.standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Errorf("the deputy now: %v", err)
	}
}

// What stays open of a revocation that could not be heard: two lead, nobody gives
// in, and whoever looks is told so.
func TestAnUnheardRevocationLeavesTwoLeadsThatShowEachOtherAsConflicted(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno, iris := w.nodes["atlas"], w.nodes["juno"], w.nodes["iris"]
	w.sever("juno", "atlas")
	w.sever("juno", "iris")
	w.pass(arm)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := juno.standby.TakeOver(t.Context(), "pixel", true); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	w.mend("juno", "atlas")
	w.mend("juno", "iris")
	w.pass(4 * beat)
	for _, lead := range []*machine{atlas, juno} {
		if lead.crew().Role != trust.RoleLead {
			t.Errorf("%s leads no more", lead.name)
		}
	}
	if crew := iris.crew(); crew.Lead.ID != "atlas" || crew.Grade(juno.fp()) != trust.GradeEnded {
		t.Errorf("iris follows %s, and has juno as %q", crew.Lead.ID, crew.Grade(juno.fp()))
	}
	if len(atlas.crew().Ended) != 1 {
		t.Error("atlas believes that the deputy has heard")
	}
	for _, end := range [][2]*machine{{atlas, juno}, {juno, atlas}, {juno, iris}} {
		var told *mesh.ConflictError
		if link := (peers{end[0]}).Link(end[1].fp()); !errors.As(link.Cause, &told) {
			t.Errorf("%s shows %s as %q, because of %v", end[0].name, end[1].name, link.State, link.Cause)
		}
	}
}

// turnedAway is a network in which one peer does not take this node's links.
type turnedAway struct {
	peers
	who  identity.Fingerprint
	link mesh.Link
}

func (n turnedAway) Call(ctx context.Context, fp identity.Fingerprint, route string, in, out any) error {
	if fp == n.who {
		return mesh.ErrUnreachable
	}
	return n.peers.Call(ctx, fp, route, in, out)
}

func (n turnedAway) Link(fp identity.Fingerprint) mesh.Link {
	if fp == n.who {
		return n.link
	}
	return n.peers.Link(fp)
}

// Until a deputy that was revoked or removed has confirmed that it knows, the
// lead says that it could take over; a removed one confirms it by its answer to a
// hello, and is known no more then.
func TestADeputyThatWasRevokedOrRemovedIsPendingUntilItHasHeard(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*machine) error{
		"revoked": func(lead *machine) error {
			_, err := lead.standby.RevokeDeputy(t.Context())
			return err
		},
		"removed": func(lead *machine) error {
			return lead.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
				return trust.RemoveMember(old, "juno", lead.id, lead.world.clock())
			})
		},
	} {
		w := crewOf(t, "atlas", "juno", "iris")
		atlas, juno := w.nodes["atlas"], w.nodes["juno"]
		w.sever("juno", "atlas")
		w.sever("juno", "iris")
		w.pass(beat)
		if err := end(atlas); err != nil {
			t.Fatal(err)
		}
		w.pass(2 * beat)
		if deputy, owed := atlas.standby.Owed(); deputy != "juno" || !owed {
			t.Errorf("%s: pending is %q, %v", name, deputy, owed)
		}
		if juno.crew().Warrant.Deputy == nil {
			t.Fatalf("%s: it has heard through nothing", name)
		}
		w.mend("juno", "iris")
		w.pass(2 * beat)
		if said, _ := juno.crew().Warrant.Said(); !said.NamesNobody() {
			t.Errorf("%s: a member has not told it that %q is deputy no more", name, said.Deputy)
		}
		if _, owed := atlas.standby.Owed(); !owed {
			t.Errorf("%s: nothing is pending, and the lead cannot know that", name)
		}
		w.mend("juno", "atlas")
		w.pass(2 * beat)
		if deputy, owed := atlas.standby.Owed(); owed {
			t.Errorf("%s: it has heard, and %q is pending", name, deputy)
		}
		if _, found := atlas.crew().Member("juno"); !found && atlas.crew().Grade(juno.fp()) != trust.GradeNone {
			t.Errorf("%s: it is known still", name)
		}
	}
}
