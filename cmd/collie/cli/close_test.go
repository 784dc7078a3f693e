package cli

import (
	"strings"
	"testing"
)

// listed are the panes that there are, by id.
func (m *machine) listed(t *testing.T) map[string]any {
	t.Helper()
	panes := map[string]any{}
	for _, p := range m.must(t, "pane", "list").([]any) {
		panes[at[string](t, p, "id")] = p
	}
	return panes
}

func TestCloseAsksAPersonWhenAProgramRuns(t *testing.T) {
	t.Parallel()
	m := begin(t)
	id := at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", "cat; true"), "id")

	d := m.desk(t, 80, 24, "pane", "close", id)
	d.shows(t, "sh runs in "+id+". End it and close the pane? [y/N]")
	d.typed(t, "n\r")
	d.ends(t, exitRefused)
	if m.listed(t)[id] == nil {
		t.Fatal("the pane is closed, and the answer was no")
	}
	d = m.desk(t, 80, 24, "pane", "close", id)
	d.shows(t, "[y/N]")
	d.typed(t, "y\r")
	d.shows(t, "closed")
	d.ends(t, exitDone)
	if m.listed(t)[id] != nil {
		t.Error("the pane is there, and the answer was yes")
	}
}

func TestCloseAsksNobodyForAPromptOrWithYesOrInAScript(t *testing.T) {
	t.Parallel()
	m := begin(t)
	shell := at[string](t, m.must(t, "pane", "new", "--", "sh"), "id")
	d := m.desk(t, 80, 24, "pane", "close", shell)
	d.shows(t, "closed")
	d.ends(t, exitDone)

	busy := at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", "cat"), "id")
	d = m.desk(t, 80, 24, "pane", "close", "--yes", busy)
	d.shows(t, "closed")
	d.ends(t, exitDone)

	busy = at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", "cat"), "id")
	d = m.desk(t, 80, 24, "--json", "pane", "close", busy)
	d.shows(t, `"ok": true`)
	d.ends(t, exitDone)

	busy = at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", "cat"), "id")
	if stdout, stderr, code := m.run(t, "", "pane", "close", busy); code != exitDone || stdout != "closed\n" {
		t.Errorf("in a script: %d %q %q", code, stdout, stderr)
	}

	over := at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", "exit 7"), "id")
	eventually(t, "the end of the program", func() bool { return at[string](t, m.listed(t)[over], "status") == "done" })
	if code := at[any](t, m.listed(t)[over], "exitCode"); code != 7.0 {
		t.Errorf("the exit code is %v, want 7", code)
	}
	if stdout, _, _ := m.run(t, "", "pane", "list"); !strings.Contains(stdout, "done (exit 7)") {
		t.Errorf("the list says\n%s", stdout)
	}
	d = m.desk(t, 80, 24, "pane", "close", over)
	d.shows(t, "closed")
	d.ends(t, exitDone)
	for id := range m.listed(t) {
		if strings.Contains(busy+over+shell, id) {
			t.Errorf("pane %s is there", id)
		}
	}
}
