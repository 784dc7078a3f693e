package lead

import (
	"context"
	"testing"

	"collie/node/api"
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
