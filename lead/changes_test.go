package lead

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"collie/mesh"
	"collie/node/api"

	"github.com/google/go-cmp/cmp"
)

func TestChangesOfAMemberAreMaskedMadePlainAndKeptToTheirNames(t *testing.T) {
	t.Parallel()
	m := atlas(t, &machine{changes: api.Changes{
		Repository: true, Branch: "fix-" + secretText,
		Entries: []api.ChangeEntry{
			{Path: "a.go", From: "b.go", Opens: true}, {Path: secretText, Opens: true}, {Path: "x", From: "\u202ey", Opens: true},
		},
		Diff: &api.DiffView{Path: "a.go", Text: "@@ -1 +1 @@\n-" + secretText + "\n+\x1b[31m\n"},
	}})
	got, err := m.Changes(t.Context(), "p1", api.ChangesOf{Path: "a.go"})
	must(t, err)
	hides(t, "changes", got)
	if entries := got.Entries; !entries[0].Opens || entries[1].Opens || entries[2].Opens || entries[2].From != "\uFFFDy" {
		t.Errorf("%+v", entries)
	}
	if diff := got.Diff; !diff.Masked || diff.Text[:len("@@ -1 +1 @@\n-ghp_•")] != "@@ -1 +1 @@\n-ghp_•" || diff.Text[len(diff.Text)-len("\n+\uFFFD[31m\n"):] != "\n+\uFFFD[31m\n" {
		t.Errorf("%+v", got.Diff)
	}
	if _, err := m.Changes(t.Context(), "../p", api.ChangesOf{}); api.AsError(err).Code != "pane_not_found" {
		t.Errorf("an id that is none: %v", err)
	}
}

func TestAMemberThatNamesNoPaneForAWorktreeIsNotBelieved(t *testing.T) {
	t.Parallel()
	m := atlas(t, nil)
	m.machine = namesNoPane{newMachine()}
	made, err := m.Worktree(t.Context(), "p1", api.Worktree{Branch: "fix"})
	if api.AsError(err).Code != "write_outcome_unknown" || made.ID != "" {
		t.Errorf("%+v, %v", made, err)
	}
}

type namesNoPane struct{ api.Machine }

func (namesNoPane) Worktree(context.Context, string, api.Worktree) (api.Worktreed, error) {
	return api.Worktreed{ID: "../" + secretText}, nil
}

func TestWhatDiffersIsFoundWithoutLookingAtMachinesThatDidNotChange(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 0))
	some := func() api.Snapshot {
		s := snapshotOf()
		for i := range random.IntN(4) {
			pane := paneOf(fmt.Sprint("p", i))
			pane.Title = fmt.Sprint("step ", random.IntN(3))
			s.Panes = append(s.Panes, pane)
		}
		return s
	}
	ids := []string{"atlas", "iris", "juno", "vela"}
	h := newHerd(newMachine(), func() time.Time { return noon })
	h.lead(crewOf(ids...), "build")
	last, _ := h.look("")
	for range 300 {
		for range random.IntN(3) {
			switch id := ids[random.IntN(len(ids))]; random.IntN(5) {
			case 0:
				h.set(func() { h.own = some() })
			case 1:
				h.update(id, func(f *follower) { show(f, mesh.Link{State: mesh.StateReachable, RTT: time.Duration(random.IntN(3))}) })
			case 2:
				h.lead(crewOf(ids[:random.IntN(len(ids)+1)]...), "build")
			default:
				h.update(id, func(f *follower) { f.current(some()) })
			}
		}
		next, _ := h.look("")
		change, gone := difference(last, next)
		before, after := last.snapshot(), next.snapshot()
		wantChange, wantGone := api.Diff(&before, &after)
		if diff := cmp.Diff([]any{wantChange, wantGone}, []any{change, gone}); diff != "" {
			t.Fatalf("want - got +\n%s", diff)
		}
		last = next
	}
}
