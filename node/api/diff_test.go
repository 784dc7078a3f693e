package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/api"
)

// drawn is a herd of some of 4 machines and 12 objects of each kind.
func drawn(random *rand.Rand, at int64) api.Snapshot {
	s := api.Snapshot{At: at, Mode: "lead"}
	some := func(do func(id, host string)) {
		for i := range 12 {
			if random.IntN(3) > 0 {
				do(fmt.Sprint("x", i/2), fmt.Sprint("m", i%2)) // one id on two machines
			}
		}
	}
	for i := range 4 {
		if random.IntN(2) > 0 {
			s.Machines = append(s.Machines, api.MachineInfo{ID: fmt.Sprint("m", i), Stale: random.IntN(2) > 0})
		}
	}
	some(func(id, host string) {
		s.Workspaces = append(s.Workspaces, api.Workspace{ID: id, Host: host, Label: fmt.Sprint(random.IntN(3))})
	})
	some(func(id, host string) {
		s.Tabs = append(s.Tabs, api.Tab{ID: id, Host: host, Index: random.IntN(3)})
	})
	some(func(id, host string) {
		s.Panes = append(s.Panes, api.PaneInfo{ID: id, Host: host, Cards: make([]api.Card, random.IntN(2)), Since: random.Int64N(2)})
	})
	if random.IntN(2) > 0 {
		s.Standby = &api.Standby{Machine: "juno", URL: fmt.Sprint("https://door", random.IntN(2), ".example")}
	}
	random.Shuffle(len(s.Panes), func(i, j int) { s.Panes[i], s.Panes[j] = s.Panes[j], s.Panes[i] })
	return s
}

// sorted makes two herds alike that differ in order alone.
func sorted(s api.Snapshot) api.Snapshot {
	slices.SortFunc(s.Machines, func(a, b api.MachineInfo) int { return compare(a.ID, b.ID) })
	slices.SortFunc(s.Workspaces, func(a, b api.Workspace) int { return compare(a.ID+a.Host, b.ID+b.Host) })
	slices.SortFunc(s.Tabs, func(a, b api.Tab) int { return compare(a.ID+a.Host, b.ID+b.Host) })
	slices.SortFunc(s.Panes, func(a, b api.PaneInfo) int { return compare(a.ID+a.Host, b.ID+b.Host) })
	return s
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func copied(t *testing.T, s api.Snapshot) (c api.Snapshot) {
	t.Helper()
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatDiffSaysLeadsFromOneHerdToTheNext(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 2))
		old, next := drawn(random, 1), drawn(random, 2)
		before := copied(t, old)
		change, gone := api.Diff(&old, &next)
		for _, order := range [][]api.Event{{{Gone: gone}, {Change: change}}, {{Change: change}, {Gone: gone}}} {
			got := old
			for _, event := range order {
				got = api.Apply(got, event)
			}
			if change == nil && gone == nil {
				got.At = next.At
			}
			if diff := cmp.Diff(copied(t, sorted(copied(t, next))), copied(t, sorted(copied(t, got)))); diff != "" {
				t.Fatalf("seed %d: %s", seed, diff)
			}
		}
		if diff := cmp.Diff(before, copied(t, old)); diff != "" {
			t.Fatalf("seed %d: the old herd was written to: %s", seed, diff)
		}
	}
}

func TestDiffOfEqualHerdsIsNothing(t *testing.T) {
	t.Parallel()
	one, two := herd(), herd()
	two.At = 9
	if change, gone := api.Diff(&one, &two); change != nil || gone != nil {
		t.Errorf("change %+v, gone %+v", change, gone)
	}
}

func TestDiffNamesWhatChangedAndNothingElse(t *testing.T) {
	t.Parallel()
	old := api.Snapshot{At: 1, Tabs: []api.Tab{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "b", Host: "m"}}, Machines: []api.MachineInfo{{ID: "m"}}}
	next := api.Snapshot{At: 2, Tabs: []api.Tab{{ID: "d"}, {ID: "b", Index: 1}, {ID: "a"}}}
	change, gone := api.Diff(&old, &next)
	if diff := cmp.Diff(&api.Change{At: 2, Tabs: []api.Tab{{ID: "d"}, {ID: "b", Index: 1}}}, change); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&api.Gone{At: 2, Machines: []string{"m"}, Tabs: []api.Ref{{ID: "c"}, {ID: "b", Host: "m"}}}, gone); diff != "" {
		t.Error(diff)
	}
}

func TestAnEventAddsNoMoreThanItNames(t *testing.T) {
	t.Parallel()
	s := api.Apply(herd(), api.Event{Change: &api.Change{Panes: []api.PaneInfo{{ID: "n"}, {ID: "n", Title: "twin"}, {ID: "p1", Host: "atlas"}}}})
	if len(s.Panes) != 2 || s.Panes[1].Title != "twin" || s.Panes[0].Title != "" {
		t.Errorf("panes are %+v", s.Panes)
	}
	for name, event := range map[string]api.Event{
		"nothing":           {},
		"a receipt":         {Receipt: receipt()},
		"what is not there": {Gone: &api.Gone{At: s.At, Machines: []string{"x"}, Panes: []api.Ref{{ID: "n", Host: "x"}}}},
	} {
		if diff := cmp.Diff(s, api.Apply(s, event)); diff != "" {
			t.Errorf("%s changed the herd: %s", name, diff)
		}
	}
	if got := api.Apply(s, api.Event{Snapshot: ptr(herd())}); !cmp.Equal(got, herd()) {
		t.Errorf("a snapshot left %+v", got)
	}
}

func BenchmarkDiff(b *testing.B) {
	var old api.Snapshot
	for i := range api.MaxPanes {
		old.Panes = append(old.Panes, api.PaneInfo{ID: fmt.Sprint("p", i), Host: "atlas", Title: "vim", Cards: []api.Card{}})
	}
	next := old
	next.Panes = slices.Clone(old.Panes)
	next.Panes[500].Status = "blocked"
	b.ReportAllocs()
	for b.Loop() {
		if change, _ := api.Diff(&old, &next); len(change.Panes) != 1 {
			b.Fatal(change)
		}
	}
}
