package lead

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/mesh"
	"collie/node/api"
	"collie/node/walky"
)

func TestASoloHerdNamesNoMachine(t *testing.T) {
	t.Parallel()
	h := newHerd(newMachine(), func() time.Time { return noon })
	h.set(func() { h.own = snapshotOf("p1") })
	got := merged(h, "")
	if got.Mode != "solo" || got.Machines != nil || got.Panes[0].Host != "" || got.Tabs[0].Host != "" || got.Workspaces[0].Host != "" || got.At != noon.UnixMilli() {
		t.Errorf("the herd is %+v", got)
	}
	if _, err := h.machine("barn"); !errors.Is(err, api.ErrHostUnknown) {
		t.Errorf("a machine by name: %v", err)
	}
}

func TestTheHerdMergesMachinesThatShareIDs(t *testing.T) {
	t.Parallel()
	h := leading(t, newMachine(), map[string]*machine{"juno": newMachine(), "atlas": newMachine()})
	got := merged(h, "")
	if want := []string{"barn:p1", "atlas:p1", "juno:p1"}; got.Mode != "lead" || !slices.Equal(places(got), want) {
		t.Errorf("a %s with panes %q, want %q", got.Mode, places(got), want)
	}
	want := []api.MachineInfo{
		{ID: "barn", Label: "Barn", Lead: true, State: "reachable", LastSeenAt: noon.UnixMilli(), Build: "build"},
		{ID: "atlas", Label: "label of atlas", State: "reachable", LastSeenAt: noon.UnixMilli()},
		{ID: "juno", Label: "label of juno", State: "reachable", LastSeenAt: noon.UnixMilli()},
	}
	if diff := cmp.Diff(want, got.Machines); diff != "" {
		t.Errorf("machines: want - got +\n%s", diff)
	}
}

// TestAReplyReachesTheNamedMachineAlone is trial C01: two machines shared pane
// ids, so taps went to the wrong one.
func TestAReplyReachesTheNamedMachineAlone(t *testing.T) {
	t.Parallel()
	local, members := newMachine(), map[string]*machine{"atlas": newMachine(), "juno": newMachine()}
	h := leading(t, local, members)
	all := map[string]*machine{"": local, "atlas": members["atlas"], "juno": members["juno"]}
	for host, want := range all {
		m, err := h.machine(host)
		must(t, err)
		if _, err := m.Reply(t.Context(), "p1", api.Reply{Text: "to " + host}); err != nil {
			t.Fatal(err)
		}
		for other, machine := range all {
			got := machine.got()
			if (machine == want) != slices.Contains(got, "reply p1 to "+host) {
				t.Errorf("a reply to %q: %q got %q", host, other, got)
			}
		}
	}
	if _, err := h.machine("nobody"); !errors.Is(err, api.ErrHostUnknown) || api.AsError(err).Status != 404 || api.AsError(err).Host != "nobody" {
		t.Errorf("an unknown machine: %v", err)
	}
	if _, err := h.machine("<b>"); !errors.Is(err, api.ErrHostUnknown) || api.AsError(err).Host != "" {
		t.Errorf("what is no id: %v", err)
	}
	if m, err := h.machine("barn"); err != nil || m.(view).Machine != api.Machine(local) {
		t.Errorf("the lead by name: %v, %v", m, err)
	}
}

func TestAMachineWithoutALinkKeepsItsLastGoodCopyAndTakesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		link mesh.Link
		hint string
	}{
		{mesh.Link{State: mesh.StateUnreachable, Reason: "the link is lost"}, "reconnecting"},
		{mesh.Link{State: mesh.StateIncompatible, Reason: "protocol mismatch"}, "attention"},
		{mesh.Link{State: mesh.StateConflicted, Reason: "duplicate identity"}, "attention"},
		{mesh.Link{State: mesh.StateUnenrolled, Reason: "it holds an older crew secret: on it, run collie crew join HOST:PORT with a token of collie crew invite here"}, "attention"},
	} {
		atlas := newMachine()
		h := leading(t, newMachine(), map[string]*machine{"atlas": atlas, "juno": newMachine()})
		c.link.SeenAt, c.link.Since = noon.Add(-time.Minute), noon.Add(-time.Minute)
		h.update("atlas", func(f *follower) { show(f, c.link) })
		got := merged(h, "")
		want := api.MachineInfo{
			ID: "atlas", Label: "label of atlas", State: string(c.link.State), Reason: c.link.Reason, Hint: c.hint,
			LastSeenAt: noon.Add(-time.Minute).UnixMilli(), Stale: true,
		}
		if diff := cmp.Diff(want, got.Machines[1]); diff != "" {
			t.Errorf("want - got +\n%s", diff)
		}
		if got.Machines[0].Stale || got.Machines[2].Stale || !slices.Contains(places(got), "atlas:p1") {
			t.Errorf("%s: the others are %+v, the panes %q", c.link.State, got.Machines, places(got))
		}
		if _, err := h.machine("atlas"); !errors.Is(err, api.ErrHostUnreachable) || api.AsError(err).Host != "atlas" || api.AsError(err).Status != 503 {
			t.Errorf("%s: %v", c.link.State, err)
		}
	}
}

// TestAMachineThatCannotReadItsPanesIsNotOneWithoutALink is trial C05: the
// banner blamed the wrong cause.
func TestAMachineThatCannotReadItsPanesIsNotOneWithoutALink(t *testing.T) {
	t.Parallel()
	h := leading(t, newMachine(), map[string]*machine{"atlas": newMachine(), "juno": newMachine()})
	h.update("atlas", func(f *follower) { f.ended(api.ErrInternal) })
	got := merged(h, "atlas")
	if m := got.Machines[0]; m.State != "reachable" || !m.Stale || m.Hint != "attention" || m.Reason != unreadable {
		t.Errorf("a machine whose panes cannot be read is %+v", m)
	}
	h.update("atlas", func(f *follower) {
		show(f, mesh.Link{State: mesh.StateUnreachable, Reason: "the link is lost", Since: noon})
	})
	got = merged(h, "")
	if m := got.Machines[1]; m.State != "unreachable" || m.Hint != "reconnecting" || m.Reason != "the link is lost" {
		t.Errorf("a machine without a link is %+v", m)
	}
	if m := got.Machines[2]; m.Stale || m.Hint != "" || m.Reason != "" {
		t.Errorf("another machine is %+v", m)
	}
}

func TestARemovedMemberLeavesTheHerdAndAKeptOneStays(t *testing.T) {
	t.Parallel()
	h := leading(t, newMachine(), map[string]*machine{"atlas": newMachine(), "juno": newMachine()})
	h.lead(crewOf("juno"), "build")
	h.update("atlas", func(f *follower) { f.snapshot = snapshotOf("p2") }) // its follower is about to end
	got := merged(h, "")
	if want := []string{"barn:p1", "juno:p1"}; !slices.Equal(places(got), want) {
		t.Errorf("panes %q, want %q", places(got), want)
	}
	h.dissolve()
	if got = merged(h, ""); got.Mode != "solo" || !slices.Equal(places(got), []string{":p1"}) {
		t.Errorf("a %s with panes %q", got.Mode, places(got))
	}
}

func TestAPhoneIsToldOfTheWholeHerdOrOfOneMachineAndOfNoReceipt(t *testing.T) {
	t.Parallel()
	for host, want := range map[string][]string{"": {"barn:p1", "atlas:p1"}, "atlas": {"atlas:p1"}, "barn": {"barn:p1"}} {
		synctest.Test(t, func(t *testing.T) {
			h := leading(t, newMachine(), map[string]*machine{"atlas": newMachine()})
			m, err := h.machine(host)
			must(t, err)
			first, err := m.Snapshot(t.Context())
			must(t, err)
			if !slices.Equal(places(first), want) {
				t.Errorf("%q: panes %q, want %q", host, places(first), want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var events []string
			done := make(chan error)
			go func() {
				done <- m.Events(ctx, func(e api.Event) error {
					switch {
					case e.Snapshot != nil:
						events = append(events, "snapshot")
					case e.Change != nil:
						events = append(events, fmt.Sprint("change ", places(api.Snapshot{Panes: e.Change.Panes})))
					case e.Gone != nil:
						events = append(events, fmt.Sprint("gone ", e.Gone.Panes))
					default:
						t.Errorf("%q: a phone got %+v", host, e)
					}
					return nil
				})
			}()
			synctest.Wait()
			h.update("atlas", func(f *follower) { f.snapshot = snapshotOf("p1", "p2") })
			time.Sleep(herdPace)
			synctest.Wait()
			h.update("atlas", func(f *follower) { f.snapshot = snapshotOf("p2") })
			time.Sleep(herdPace)
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%q: %v", host, err)
			}
			want := []string{"snapshot", "change [atlas:p2]", "gone [{p1 atlas}]"}
			if host == "barn" {
				want = want[:1]
			}
			events = slices.DeleteFunc(events, func(e string) bool { return e == "change []" }) // the lead was seen anew
			if !slices.Equal(events, want) {
				t.Errorf("%q: %q, want %q", host, events, want)
			}
		})
	}
}

func TestChangesAreGatheredForAPhone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := leading(t, newMachine(), map[string]*machine{"atlas": newMachine()})
		m, err := h.machine("")
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		events, done := 0, make(chan error)
		go func() { done <- m.Events(ctx, func(api.Event) error { events++; return nil }) }()
		synctest.Wait()
		for i := range 1000 { // in one second
			h.update("atlas", func(f *follower) { f.snapshot = snapshotOf(fmt.Sprint("p", i)) })
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-done
		if events > 30 { // the first, and at most a change and a loss every 100 ms
			t.Errorf("a second of a thousand changes cost a phone %d events", events)
		}
	})
}

func TestAPhoneThatWatchesANodeBecomeALeadGetsTheHerdAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHerd(newMachine(), func() time.Time { return noon })
		h.set(func() { h.own = snapshotOf("p1") })
		m, err := h.machine("")
		must(t, err)
		var modes []string
		err = m.Events(t.Context(), func(e api.Event) error {
			if e.Snapshot == nil {
				t.Errorf("got %+v", e)
			}
			if modes = append(modes, e.Snapshot.Mode); len(modes) == 2 {
				return errEnough
			}
			go h.lead(crewOf("atlas"), "build")
			return nil
		})
		if !errors.Is(err, errEnough) || !slices.Equal(modes, []string{"solo", "lead"}) {
			t.Errorf("%q, %v", modes, err)
		}
	})
}

func TestSessionsOfReadableMembersCanBeWrittenTo(t *testing.T) {
	t.Parallel()
	h := leading(t, newMachine(), map[string]*machine{"atlas": newMachine(), "juno": newMachine(), "kite": newMachine()})
	session := func(id, token string) api.PaneInfo {
		p := paneOf(id)
		p.Token, p.Label, p.Harness, p.Status = token, "shop", "claude", "idle"
		return p
	}
	h.update("atlas", func(f *follower) {
		f.snapshot.Panes = []api.PaneInfo{session("p2", "k3f9"), session("p1", ""), session("p3", "NOPE"), session("p4", "k3f9#x")}
	})
	h.update("juno", func(f *follower) {
		f.snapshot.Panes = nil
		for i := range 3 * maxPeers {
			f.snapshot.Panes = append(f.snapshot.Panes, session(fmt.Sprint("p", i), "abcd"))
		}
	})
	h.update("kite", func(f *follower) { f.snapshot.Panes, f.readable = []api.PaneInfo{session("p1", "k3f9")}, false })
	want := []walky.Peer{{Address: walky.Address{Machine: "atlas", Pane: "p2", Token: "k3f9"}, Label: "shop", Harness: "claude", Status: "idle"}}
	if diff := cmp.Diff(want, h.peers("juno")); diff != "" {
		t.Errorf("for juno: want - got +\n%s", diff)
	}
	if got := h.peers(""); len(got) != 1+maxPeers {
		t.Errorf("%d sessions, want %d", len(got), 1+maxPeers)
	}
}

func TestWhenAMachineWasSeenIsFreshToWhoAsksAndNoNewsToWhoWatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := leading(t, newMachine(), map[string]*machine{"atlas": newMachine()})
		h.update("atlas", func(f *follower) {
			f.live = func() mesh.Link { return mesh.Link{SeenAt: time.Now(), RTT: time.Since(bubble) / 1000} }
		})
		m, err := h.machine("")
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		events, done := 0, make(chan error)
		go func() { done <- m.Events(ctx, func(api.Event) error { events++; return nil }) }()
		time.Sleep(10 * time.Minute)
		now, err := m.Snapshot(t.Context())
		must(t, err)
		if row := now.Machines[1]; row.LastSeenAt != time.Now().UnixMilli() || row.RTTMs != 600 {
			t.Errorf("the row is %+v", row)
		}
		h.update("atlas", func(f *follower) { f.current(snapshotOf("p1")) }) // which is no change
		time.Sleep(time.Second)
		cancel()
		<-done
		if events != 1 {
			t.Errorf("ten idle minutes cost a phone %d events", events)
		}
	})
}

// bubble is when time begins in a synctest bubble.
var bubble = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
