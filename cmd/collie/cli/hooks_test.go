package cli

import "testing"

func TestDocumentsOfHooks(t *testing.T) {
	t.Parallel()
	m := begin(t)
	for _, verb := range []string{"install", "status", "uninstall"} {
		rows := m.must(t, "hooks", verb, "claude", "--folder", t.TempDir()).([]any)
		if len(rows) < 2 {
			t.Errorf("%s has %d rows, want one for each folder", verb, len(rows))
		}
		for _, row := range rows {
			fields(t, "hooks "+verb, row, "harness", "file", "state", "holds", "changed")
		}
	}
}
