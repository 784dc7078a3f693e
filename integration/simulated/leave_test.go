package simulated

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"collie/mesh/trust"
	"collie/node/api"
)

func TestARemovedMemberIsCutOffAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas, _ := newCrew(t, Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		held := machine(t, lead, "atlas") // by a phone, from before
		began := time.Now()
		lead.Update(func(old *trust.Crew) (*trust.Crew, error) {
			return trust.RemoveMember(old, "atlas", lead.Identity, time.Now())
		})
		atlas.AwaitLink(lead, false)
		synctest.Wait()
		if row, pane := shown(lead, "atlas"); row.ID != "" || pane {
			t.Errorf("it is still shown: %+v, %v", row, pane)
		}
		if _, err := lead.Lead.Machine("atlas"); !errors.Is(err, api.ErrHostUnknown) {
			t.Errorf("it is still known: %v", err)
		}
		if _, err := held.Reply(t.Context(), "p1", api.Reply{Text: "x"}); !errors.Is(err, api.ErrHostUnreachable) {
			t.Errorf("a write that a phone had ready: %v", err)
		}
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		time.Sleep(5 * time.Minute) // it tries to come back
		if lead.Link(atlas).Up || atlas.Link(lead).Up || !live(lead, "juno") {
			t.Errorf("atlas has the link %+v", atlas.Link(lead))
		}
	})
}

func TestALeavingMemberIsGoneFromTheHerd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") })
		if err := atlas.Leave(t.Context()); err != nil {
			t.Errorf("Leave: %v", err)
		}
		synctest.Wait()
		if row, pane := shown(lead, "atlas"); row.ID != "" || pane || len(lead.Store.Crew().Members) != 0 {
			t.Errorf("it is still shown: %+v, %v", row, pane)
		}
	})
}
