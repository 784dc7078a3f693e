package simulated

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/pane/holder"
)

// TestMain makes the test binary the holder of its panes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == HoldCommand {
		os.Exit(holder.Main(os.Stdin, os.Stdout))
	}
	goleak.VerifyTestMain(m)
}

// panes is a machine with one pane that keeps what it is told.
type panes struct {
	api.Machine // nothing else is asked
	stuck       bool

	mu      sync.Mutex
	replies []string
}

func (p *panes) Events(ctx context.Context, send func(api.Event) error) error {
	err := send(api.Event{Snapshot: &api.Snapshot{
		Workspaces: []api.Workspace{{ID: "w1"}}, Tabs: []api.Tab{{ID: "t1", Workspace: "w1"}},
		Panes: []api.PaneInfo{{ID: "p1", Workspace: "w1", Tab: "t1", Title: "shop", Cols: 80, Rows: 24}},
	}})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *panes) History(ctx context.Context, _ string, from, _ int) (api.History, error) {
	if p.stuck {
		<-ctx.Done()
		return api.History{}, ctx.Err()
	}
	return api.History{From: from, Total: 7}, nil
}

func (p *panes) Reply(_ context.Context, id string, reply api.Reply) (api.Replied, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies = append(p.replies, id+" "+reply.Text)
	return api.Replied{TextDelivered: true, Submitted: true}, nil
}

func (p *panes) got() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.replies)
}

// shown returns the row of a machine, and whether its pane is in the herd.
func shown(lead *Node, id string) (row api.MachineInfo, pane bool) {
	herd := lead.Herd()
	if m := MachineOf(herd, id); m != nil {
		row = *m
	}
	return row, slices.ContainsFunc(herd.Panes, func(p api.PaneInfo) bool { return p.Host == id && p.ID == "p1" })
}

// live says that a machine is shown as it is now.
func live(lead *Node, id string) bool {
	row, pane := shown(lead, id)
	return row.State == "reachable" && !row.Stale && pane
}

// machine is a machine as a phone asks for it.
func machine(t *testing.T, lead *Node, id string) api.Machine {
	t.Helper()
	m, err := lead.Lead.Machine(id)
	if err != nil {
		t.Fatalf("the machine %s: %v", id, err)
	}
	return m
}

func TestAMemberThatOnlyDialsOutIsServedLikeAnyOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		network.Delay(80 * time.Millisecond) // one way
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
		if crew := lead.Store.Crew(); len(crew.Members[0].Addresses) != 0 || lead.Link(atlas).Dialled {
			t.Fatalf("the lead could dial: %+v", crew.Members[0])
		}
		lead.Await("live", func() bool { return live(lead, "atlas") })
		history, err := machine(t, lead, "atlas").History(t.Context(), "p1", 3, 1)
		if err != nil || history.Total != 7 || history.From != 3 {
			t.Errorf("a read through the lead: %+v, %v", history, err)
		}
	})
}

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

func TestARemovedMemberIsCutOffAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
		NewMember(t, &network, lead, "juno", Options{Panes: &panes{}})
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
		var network Network
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
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

func TestAReplyWhoseAnswerIsCutHasAnUnknownOutcomeAndIsNotRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		kept := &panes{}
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: kept})
		lead.Await("live", func() bool { return live(lead, "atlas") })
		atlas.Around("/pane/p1/reply", func(serve func(), _ *httptest.ResponseRecorder) {
			serve()
			network.Cut(atlas)
		})
		began := time.Now()
		_, err := machine(t, lead, "atlas").Reply(t.Context(), "p1", api.Reply{Text: "yes", Submit: true})
		if refused := api.AsError(err); refused.Status != 504 || refused.Code != "write_outcome_unknown" || refused.Host != "atlas" {
			t.Errorf("the phone is told %v", err)
		}
		if took := time.Since(began); took > api.WriteBudget {
			t.Errorf("it took %v", took)
		}
		lines, err := lead.Audit.Tail(1)
		if err != nil || lines[0].Action != "pane.reply" || lines[0].Outcome != "write_outcome_unknown" {
			t.Errorf("the audit log ends in %+v, %v", lines, err)
		}
		network.Heal(atlas)
		time.Sleep(time.Minute)
		if got := kept.got(); !slices.Equal(got, []string{"p1 yes"}) || !live(lead, "atlas") {
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
		var network Network
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}, Dialable: true})
		juno := NewMember(t, &network, lead, "juno", Options{Panes: &panes{}, Dialable: true})
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

// TestAThousandForwardsLeaveNothingBehind is trial C13: sockets and goroutines
// stayed after a close. It runs alone, because it counts goroutines.
func TestAThousandForwardsLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
		stuck := &panes{stuck: true}
		NewMember(t, &network, lead, "juno", Options{Panes: stuck})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		synctest.Wait()
		before := runtime.NumGoroutine()
		for range 50 {
			var forwards sync.WaitGroup
			for i := range 20 {
				forwards.Go(func() {
					if i%2 == 0 {
						if _, err := machine(t, lead, "atlas").History(t.Context(), "p1", 0, 1); err != nil {
							t.Errorf("a read: %v", err)
						}
						return
					}
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
					if _, err := machine(t, lead, "juno").History(ctx, "p1", 0, 1); err == nil {
						t.Error("a cancelled read has an answer")
					}
				})
			}
			forwards.Wait()
		}
		time.Sleep(time.Second) // what was abandoned is told to the other side
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before+20 { // the runtime has some of its own
			t.Errorf("goroutines grew from %d to %d", before, after)
		}
		if !live(lead, "atlas") || !live(lead, "juno") {
			t.Error("a link did not live through it")
		}
	})
}

func TestNeitherSideReachesARouteOfTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{})
		for _, c := range []struct {
			transport    http.RoundTripper
			method, path string
		}{
			{lead.Transport(atlas), http.MethodPost, "/walky/send"},
			{lead.Transport(atlas), http.MethodPost, "/walky/who"},
			{lead.Transport(atlas), http.MethodPost, "/leave"},
			{atlas.Transport(lead), http.MethodGet, "/snapshot"},
			{atlas.Transport(lead), http.MethodGet, "/events"},
			{atlas.Transport(lead), http.MethodPost, "/pane/p1/reply"},
			{atlas.Transport(lead), http.MethodPost, "/walky/deliver"},
			{atlas.Transport(lead), http.MethodPost, "/walky/result"},
		} {
			request, err := http.NewRequestWithContext(t.Context(), c.method, "http://crew/crew/v1"+c.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := c.transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			if response.Body.Close() != nil || response.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s %s is answered %s", c.method, c.path, response.Status)
			}
		}
	})
}

func TestANewAddressIsDialledAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{})
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
		var network Network
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
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
