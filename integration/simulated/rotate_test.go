package simulated

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/lead"
	"collie/mesh"
	"collie/mesh/trust"
)

// holds says whether both sides know that a member has the lead's secret.
func holds(lead, member *Node) bool {
	crew := lead.Store.Crew()
	known, _ := crew.Member(member.ID())
	return known.SecretGeneration == crew.SecretGeneration && string(crew.Secret) == string(member.Store.Crew().Secret)
}

// told is the reasons by which members were not told, in order.
func told(rows []lead.Told) string {
	var words []string
	for _, row := range rows {
		words = append(words, row.MemberID)
		if row.Err != nil {
			words[len(words)-1] += ": " + row.Err.Error()
		}
	}
	return strings.Join(words, "; ")
}

func TestRotationKeepsEveryLinkThatIsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		network.Delay(80 * time.Millisecond)
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
		juno := NewMember(t, &network, lead, "juno", Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		before := [...]mesh.Link{lead.Link(atlas), lead.Link(juno), atlas.Link(lead), juno.Link(lead)}
		for range 3 {
			if got := told(lead.Rotate()); got != "atlas; juno" {
				t.Errorf("told: %s", got)
			}
			if !holds(lead, atlas) || !holds(lead, juno) || lead.Store.Crew().Rotation != nil {
				t.Errorf("the lead has %+v", lead.Store.Crew())
			}
			time.Sleep(3 * mesh.BeatEvery)
		}
		after := [...]mesh.Link{lead.Link(atlas), lead.Link(juno), atlas.Link(lead), juno.Link(lead)}
		for i := range before {
			if !after[i].Up || !after[i].Since.Equal(before[i].Since) {
				t.Errorf("link %d was %+v and is %+v", i, before[i], after[i])
			}
		}
		if !live(lead, "atlas") || !live(lead, "juno") {
			t.Error("a machine is not shown live any more")
		}
	})
}

func TestBeatsThatMeetARotationDoNotEndTheLink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{})
		before := [...]mesh.Link{lead.Link(atlas), atlas.Link(lead)}
		// The member takes its time, first before it holds the secret and then with
		// its answer, so that beats of both sides are refused meanwhile.
		for _, late := range []bool{false, true} {
			atlas.Around("/secret", func(serve func(), _ *httptest.ResponseRecorder) {
				if late {
					serve()
				}
				time.Sleep(4 * time.Second)
				if !late {
					serve()
				}
			})
			for range 5 { // at another moment between two beats each time
				time.Sleep(1700 * time.Millisecond)
				if got := told(lead.Rotate()); got != "atlas" {
					t.Errorf("told: %s", got)
				}
			}
		}
		if !holds(lead, atlas) || !lead.Link(atlas).Since.Equal(before[0].Since) || !atlas.Link(lead).Since.Equal(before[1].Since) {
			t.Errorf("the links are %+v and %+v", lead.Link(atlas), atlas.Link(lead))
		}
	})
}

func TestAMemberThatWasAwayIsUnenrolledOnBothSidesAndJoinsAgainUnderItsID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, lead, atlas, juno := newCrew(t, Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		network.Cut(atlas)
		lead.AwaitLink(atlas, false)
		if got := told(lead.Rotate()); got != "atlas: it was away; juno" {
			t.Errorf("told: %s", got)
		}
		network.Heal(atlas)
		time.Sleep(time.Minute)
		row, pane := shown(lead, "atlas")
		if row.State != "unenrolled" || row.Hint != "attention" || !row.Stale || !pane {
			t.Errorf("the phone sees %+v, its pane %v", row, pane)
		}
		if l := atlas.Link(lead); l.Up || l.State != mesh.StateUnenrolled {
			t.Errorf("atlas sees %+v", l)
		}
		if l := lead.Link(juno); !l.Up {
			t.Errorf("juno is %+v", l)
		}
		if known, _ := lead.Store.Crew().Member("atlas"); known.SecretGeneration != 1 {
			t.Errorf("the lead knows %+v", known)
		}
		atlas.Join(lead)
		lead.Await("live again", func() bool { return live(lead, "atlas") })
		if !holds(lead, atlas) || atlas.ID() != "atlas" || len(lead.Store.Crew().Members) != 2 {
			t.Errorf("atlas is %s of %+v", atlas.ID(), lead.Store.Crew().Members)
		}
	})
}

func TestARotationThatTheEndOfTheLeadCutOffGoesOnForAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		heard := NewMember(t, &network, lead, "atlas", Options{Dialable: true}) // holds it, and the lead does not know
		owed := NewMember(t, &network, lead, "juno", Options{})
		away := NewMember(t, &network, lead, "vela", Options{})
		network.Cut(away)
		lead.AwaitLink(away, false)
		lead.Update(lead.rotation)
		crew := lead.Store.Crew()
		lead.Stop()
		heard.Update(func(old *trust.Crew) (*trust.Crew, error) {
			return trust.TakeSecret(old, crew.Secret, crew.SecretGeneration)
		})
		time.Sleep(15 * time.Second)
		lead.Start()
		time.Sleep(40 * time.Second)
		if !holds(lead, heard) || !holds(lead, owed) || !lead.Link(heard).Up || !lead.Link(owed).Up || !owed.Link(lead).Up {
			t.Errorf("after the restart: %+v and %+v, %+v", lead.Link(heard), lead.Link(owed), lead.Store.Crew())
		}
		if left := lead.Store.Crew().Rotation; left == nil || len(left.Owed) != 1 {
			t.Errorf("still owed: %+v", left)
		}
		time.Sleep(10 * time.Second)
		network.Heal(away)
		time.Sleep(time.Minute)
		if left := lead.Store.Crew().Rotation; left != nil || holds(lead, away) || away.Link(lead).State != mesh.StateUnenrolled {
			t.Errorf("after a minute: %+v, and %+v", left, away.Link(lead))
		}
	})
}

func TestTheSecretBeforeOpensNothingFromTheFirstMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{})
		lead.Update(lead.rotation) // stored, and not told yet
		ctx, cancel := context.WithTimeout(t.Context(), Patience)
		defer cancel()
		if err := atlas.Leave(ctx); err == nil {
			t.Error("a call with the secret before was served")
		}
		if _, still := lead.Store.Crew().Member("atlas"); !still {
			t.Error("it was carried out")
		}
	})
}

func TestAMemberThatTakesNoSecretHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas, juno := newCrew(t, Options{})
		atlas.Around("/secret", func(func(), *httptest.ResponseRecorder) { time.Sleep(time.Hour) })
		began := time.Now()
		done := make(chan string)
		go func() { done <- told(lead.Rotate()) }()
		time.Sleep(time.Second)
		if !holds(lead, juno) {
			t.Error("juno waits for atlas")
		}
		if got := <-done; !strings.HasPrefix(got, "atlas: ") || !strings.HasSuffix(got, "; juno") {
			t.Errorf("told: %s", got)
		}
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("it took %v", took)
		}
		time.Sleep(100 * time.Millisecond)
		if l := lead.Link(atlas); l.Up || l.State != mesh.StateUnenrolled {
			t.Errorf("atlas is %+v", l)
		}
		if l := lead.Link(juno); !l.Up {
			t.Errorf("juno is %+v", l)
		}
	})
}

func TestTheDeputyIsToldFirstAndOneThatWasAwayIsDeputyNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, lead, atlas, juno := newCrew(t, Options{})
		lead.Update(func(old *trust.Crew) (*trust.Crew, error) {
			return trust.NameDeputy(old, "juno", "", lead.Identity, time.Now())
		})
		order := make(chan string, 2)
		for _, n := range []*Node{atlas, juno} {
			n.Around("/secret", func(serve func(), _ *httptest.ResponseRecorder) {
				order <- n.Name
				time.Sleep(time.Second)
				serve()
			})
		}
		if got := told(lead.Rotate()); got != "atlas; juno" {
			t.Errorf("told: %s", got)
		}
		if first := <-order; first != "juno" {
			t.Errorf("%s was told first", first)
		}
		if got := lead.Store.Crew().Deputy(); got != "juno" {
			t.Errorf("the deputy is %q", got)
		}
		network.Cut(juno)
		lead.AwaitLink(juno, false)
		generation := lead.Store.Crew().Generation
		if got := told(lead.Rotate()); got != "atlas; juno: it was away" {
			t.Errorf("told: %s", got)
		}
		if crew := lead.Store.Crew(); crew.Deputy() != "" || crew.Generation != generation+1 {
			t.Errorf("the deputy is %q in generation %d", crew.Deputy(), crew.Generation)
		}
	})
}
