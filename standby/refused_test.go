package standby_test

import (
	"errors"
	"testing"
	"time"

	"collie/crypto/statement"
	"collie/mesh/trust"
	"collie/standby"
	"collie/standby/door"
)

func TestATakeoverIsRefusedByNameAndChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		setUp func(*world)
		alone bool
		want  error
	}{
		{"the lead is well", func(w *world) { w.pass(arm) }, false, door.ErrCold},
		{"the lead answers, though it does not call", func(w *world) {
			w.sever("atlas", "juno")
			w.sever("atlas", "iris")
			w.pass(arm + beat)
			w.mend("atlas", "juno")
			w.now = w.now.Add(6 * time.Second) // the try that failed counts no more
		}, true, standby.ErrLeadAlive},
		{"one member hears the lead", func(w *world) { w.sever("atlas", "juno"); w.pass(arm + beat) }, false, standby.ErrLeadSeen},
		{"one member hears the lead, and a second tap", func(w *world) { w.sever("atlas", "juno"); w.pass(arm + beat) }, true, standby.ErrLeadSeen},
		{"no member answers", func(w *world) { w.sever("juno", "iris"); w.silence("atlas") }, false, standby.ErrNoWitness},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := crewOf(t, "atlas", "juno", "iris")
			c.setUp(w)
			before := w.snapshot()
			_, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", c.alone)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			w.unchanged(c.name, before)
		})
	}
}

func TestADoorWithoutDevicesOrBundleIsCold(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.nodes["atlas"].devices = nil
	w.pass(beat)
	w.silence("atlas")
	view := w.nodes["juno"].standby.View()
	if view.Armed || view.Reason != "No phone is paired with the crew." {
		t.Errorf("without devices the door is %+v", view)
	}
}

func TestOneCallOfTheLeadDisarmsAtOnce(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"]
	if !juno.standby.View().Armed {
		t.Fatal("not armed")
	}
	juno.standby.Heard(w.nodes["atlas"].fp(), 1)
	if juno.standby.View().Armed {
		t.Error("armed after a call of the lead")
	}
	_, err := juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "a tap", err, door.ErrCold)
}

func TestAMemberThatIsNotTheDeputyCannotTakeOver(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	iris, juno := w.nodes["iris"], w.nodes["juno"]
	before := w.snapshot()
	_, err := iris.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "a tap on another member", err, door.ErrCold)
	// A witness may ask the deputy, which tells it nothing: its warrant names another.
	_, err = w.calls(iris, juno, standby.RouteTakeover, standby.TakeoverCall{Phase: standby.PhaseProbe, Warrant: juno.crew().Warrant})
	refused(t, "a probe of a witness at the deputy", err, standby.ErrNotDeputy)
	_, err = w.calls(iris, juno, standby.RouteTakeover, standby.TakeoverCall{Phase: standby.PhaseCommit})
	refused(t, "a commit of a witness at the deputy", err, standby.ErrNotDeputy)
	// The deputy of the warrant shows a chain that iris signed for itself.
	forged, err := statement.Sign(iris.id, statement.Takeover{
		CrewID: iris.crew().ID, Generation: iris.crew().Generation + 1, Warrant: statement.WarrantDigest(juno.crew().Warrant.Signed), At: w.now,
	})
	w.must(err)
	warrant := juno.crew().Warrant.Signed
	chain := []trust.Change{{
		FormerID: "atlas", FormerCertificate: w.nodes["atlas"].id.Certificate(), Warrant: &warrant, Takeover: &forged, Certificate: iris.id.Certificate(),
	}}
	_, err = w.calls(juno, iris, standby.RouteTakeover, standby.TakeoverCall{Phase: standby.PhaseCommit, Chain: chain})
	refused(t, "a forged commit", err, standby.ErrStatement)
	w.unchanged("forged", before)
}

// The pin of a dead warrant goes with the next sweep; until then its deputy can
// call, and is refused.
func TestATakeoverByADeadWarrantIsNotObeyed(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	juno, iris := w.nodes["juno"], w.nodes["iris"]
	b, err := trust.OpenBundle(juno.crew(), juno.key)
	w.must(err)
	lead, err := trust.TakeOver(juno.crew(), b, juno.id, w.now)
	w.must(err)
	commit := standby.TakeoverCall{Phase: standby.PhaseCommit, Chain: lead.Chain}
	before := w.snapshot()
	w.now = w.now.Add(trust.WarrantLife + time.Hour)
	_, err = w.calls(juno, iris, standby.RouteTakeover, commit)
	refused(t, "a month later", err, standby.ErrStatement)
	w.unchanged("a dead warrant", before)
	w.now = w.now.Add(-trust.WarrantLife - time.Hour)
	if _, err := w.calls(juno, iris, standby.RouteTakeover, commit); err != nil || iris.crew().Lead.Fingerprint != juno.fp() {
		t.Errorf("while it lives: %v", err)
	}
}
