package mesh_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
)

func TestWhatChangesAboutACrewReachesTheOthersWithTheNextBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lead, member := linkedOver(t, &network{})
		before := member.endpoint.LinkState(lead.fp())
		lead.said.Store(&[]string{"lead.example:8788", "10.0.0.1:8788"})
		member.said.Store(&[]string{"10.0.0.2:8788"})
		lead.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RenameCrew(old, "stable") })
		lead.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Rename(old, "lead", "Lead box") })
		lead.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Rename(old, "atlas", "Atlas") })
		time.Sleep(mesh.BeatEvery)
		synctest.Wait()
		at := member.store.Crew()
		if at.Name != "stable" || at.Lead.Label != "Lead box" || at.SelfLabel != "Atlas" || at.SelfID != "atlas" {
			t.Errorf("the member has %+v, %+v", at, at.Lead)
		}
		if got := at.AddressesOf("lead"); !slices.Contains(got, "lead.example:8788") {
			t.Errorf("the member looks for its lead at %v", got)
		}
		if got := lead.store.Crew().AddressesOf("atlas"); !slices.Equal(got, []string{"10.0.0.2:8788"}) {
			t.Errorf("the lead looks for the member at %v", got)
		}
		if after := member.endpoint.LinkState(lead.fp()); !after.Since.Equal(before.Since) {
			t.Errorf("the link is another one: %+v, before %+v", after, before)
		}
	})
}

func TestAMemberThatKeepsChangingItsAddressIsListenedToNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lead, member := linkedOver(t, &network{})
		learned := map[string]bool{}
		for i := range 120 { // ten minutes
			member.said.Store(&[]string{fmt.Sprintf("10.0.0.2:%d", 1000+i)})
			time.Sleep(mesh.BeatEvery)
			synctest.Wait()
			learned[fmt.Sprint(lead.store.Crew().AddressesOf("atlas"))] = true
		}
		if len(learned) < 20 || len(learned) > 26 {
			t.Errorf("%d of 120 addresses were stored", len(learned))
		}
	})
}
