package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheSkillIsInstalledForEachHarnessThatIsThere(t *testing.T) {
	t.Parallel()
	m := begin(t)
	if _, stderr, code := m.run(t, "", "skill", "install"); code != exitFailed {
		t.Errorf("without a harness: exit %d, %s", code, stderr)
	}
	for _, folder := range []string{".claude", ".gemini"} {
		if err := os.MkdirAll(filepath.Join(m.home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	rows := m.must(t, "skill", "install")
	fields(t, "skill install", at[any](t, rows, 0), "harness", "file", "state", "changed")
	if len(rows.([]any)) != 2 || at[string](t, rows, 0, "state") != "current" || !at[bool](t, rows, 1, "changed") {
		t.Errorf("installed %v", rows)
	}
	if rows := m.must(t, "skill", "status", "gemini"); len(rows.([]any)) != 1 || at[bool](t, rows, 0, "changed") {
		t.Errorf("status is %v", rows)
	}
	if _, stderr, code := m.run(t, "", "skill", "install", "vim"); code != exitUsage {
		t.Errorf("of no harness: exit %d, %s", code, stderr)
	}
	m.must(t, "skill", "uninstall")
	if _, err := os.Stat(filepath.Join(m.home, ".claude", "skills", "collie-walky")); !os.IsNotExist(err) {
		t.Errorf("after uninstall: %v", err)
	}
}
