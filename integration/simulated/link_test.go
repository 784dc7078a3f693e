package simulated

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

func TestACutLinkShowsTheLastGoodHerdWithinTwoBeatsAndHealsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		kept := &panes{}
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: kept})
		NewMember(t, &network, lead, "juno", Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		for _, away := range []time.Duration{20 * time.Second, 6 * time.Minute, 11 * time.Minute} {
			network.Cut(atlas)
			time.Sleep(2*mesh.BeatEvery + 2500*time.Millisecond)
			row, pane := shown(lead, "atlas")
			if row.State != "unreachable" || !row.Stale || row.Hint != "reconnecting" || row.Reason == "" || !pane {
				t.Errorf("after two beats atlas is %+v, its pane in the herd: %v", row, pane)
			}
			if _, err := lead.Lead.Machine("atlas"); !errors.Is(err, api.ErrHostUnreachable) {
				t.Errorf("a write is met with %v", err)
			}
			if !live(lead, "juno") {
				t.Error("juno is not live")
			}
			time.Sleep(away)
			if row, _ := shown(lead, "atlas"); away > 9*time.Minute != (row.Hint == "attention") {
				t.Errorf("after %v more atlas is %+v", away, row)
			}
			if age := time.Since(time.UnixMilli(row.LastSeenAt)); age < away {
				t.Errorf("it was seen %v ago", age)
			}
			network.Heal(atlas)
			began := time.Now()
			lead.Await("live again", func() bool { return live(lead, "atlas") })
			if took := time.Since(began); took > 35*time.Second {
				t.Errorf("it took %v to heal", took)
			}
		}
		if got := kept.got(); len(got) != 0 {
			t.Errorf("the pane got %q", got)
		}
	})
}

func TestAMemberThatNeverAnswersDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		NewMember(t, &network, lead, "atlas", Options{Panes: &panes{stuck: true}})
		NewMember(t, &network, lead, "juno", Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				began := time.Now()
				_, err := machine(t, lead, "atlas").History(t.Context(), "p1", 0, 1)
				if took := time.Since(began); !errors.Is(err, api.ErrHostUnreachable) || took != api.ReadBudget {
					t.Errorf("a read of atlas: %v after %v", err, took)
				}
			})
		}
		synctest.Wait() // all of them wait
		began := time.Now()
		if _, err := machine(t, lead, "juno").History(t.Context(), "p1", 0, 1); err != nil {
			t.Errorf("a read of juno: %v", err)
		}
		if !live(lead, "juno") || !live(lead, "atlas") {
			t.Error("the herd is not live")
		}
		if took := time.Since(began); took > 50*time.Millisecond { // of the network's own
			t.Errorf("it took %v", took)
		}
		waiting.Wait()
	})
}

// TestAnotherMemberAtTheAddressOfOneIsNotTakenForIt is trial C07: success was
// assumed before the identity was compared with the expected one.
func TestAnotherMemberAtTheAddressOfOneIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas, juno := newCrew(t, Options{Panes: &panes{}, Dialable: true})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		before := lead.Link(juno)
		atlas.Stop()
		lead.AwaitLink(atlas, false)
		lead.Update(func(old *trust.Crew) (*trust.Crew, error) {
			next := *old
			next.Members = slices.Clone(old.Members)
			for i := range next.Members {
				if next.Members[i].ID == "atlas" {
					next.Members[i].Addresses = []string{juno.Address()}
				}
			}
			return &next, nil
		})
		time.Sleep(5 * time.Minute)
		row, _ := shown(lead, "atlas")
		if row.State != "unreachable" || !strings.Contains(row.Reason, mesh.ErrWrongNode.Error()) {
			t.Errorf("atlas is %+v", row)
		}
		if after := lead.Link(juno); !after.Up || !after.Since.Equal(before.Since) || !live(lead, "juno") {
			t.Errorf("juno's link is %+v, before %+v", after, before)
		}
		atlas.Start()
		lead.Await("atlas live again", func() bool { return live(lead, "atlas") })
	})
}

func TestANewAddressIsDialledAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{})
		right := atlas.Store.Crew().Lead.Addresses
		leadAt := func(addresses []string) {
			atlas.Update(func(old *trust.Crew) (*trust.Crew, error) {
				next, pin := *old, *old.Lead
				pin.Addresses, next.Lead, next.Given = addresses, &pin, nil
				return &next, nil
			})
		}
		atlasAt := func(addresses []string) {
			lead.Update(func(old *trust.Crew) (*trust.Crew, error) {
				next := *old
				next.Members = slices.Clone(old.Members)
				next.Members[0].Addresses = addresses
				return &next, nil
			})
		}
		for name, change := range map[string]func(){
			"of the member": func() { atlasAt([]string{atlas.Address()}) },
			"of the lead":   func() { leadAt(right) },
		} {
			atlas.Stop()
			lead.AwaitLink(atlas, false)
			atlasAt(nil)
			leadAt([]string{"10.0.0.200:8788"}) // where nobody is
			atlas.Start()
			time.Sleep(10 * time.Minute)
			if lead.Link(atlas).Up {
				t.Fatal("they found each other without an address")
			}
			began := time.Now()
			change()
			lead.AwaitLink(atlas, true)
			// A dial that was under way comes to its end first.
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("a new address %s was dialled after %v", name, took)
			}
		}
	})
}

// TestAMemberThatChangesItsLinkIsLiveThroughout has a second link take the place
// of the first, as one over QUIC takes that of one over TCP.
func TestAMemberThatChangesItsLinkIsLiveThroughout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{Panes: &panes{}})
		lead.Await("live", func() bool { return live(lead, "atlas") })
		time.Sleep(time.Second) // so that one link is told from the other
		if err := atlas.endpoint.Dial(t.Context(), lead.Identity.Fingerprint(), []string{lead.Address()}); err != nil {
			t.Fatal(err)
		}
		for range 300 { // the first is closed after ten seconds
			time.Sleep(50 * time.Millisecond)
			if row, _ := shown(lead, "atlas"); !live(lead, "atlas") {
				t.Fatalf("it is shown as %+v", row)
			}
		}
	})
}
