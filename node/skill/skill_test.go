package skill

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func homeWith(t *testing.T, folders ...string) (home string, places []Place) {
	t.Helper()
	home = t.TempDir()
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return home, Places(func(name string) string {
		return map[string]string{"HOME": home, "CODEX_HOME": home + "/office/codex"}[name]
	})
}

func TestASkillGoesWhereAnInstalledHarnessLooks(t *testing.T) {
	t.Parallel()
	home, places := homeWith(t, ".claude", "office/codex", ".config/opencode")
	var got []string
	for _, p := range places {
		got = append(got, p.Harness+" "+strings.TrimPrefix(p.Path, home))
	}
	want := []string{
		"claude /.claude/skills/collie-walky/SKILL.md",
		"codex /office/codex/skills/collie-walky/SKILL.md",
		"opencode /.config/opencode/skill/collie-walky/SKILL.md",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("places are %q, want %q", got, want)
	}
}

func wantState(t *testing.T, p Place, want State) {
	t.Helper()
	if got, err := p.State(); err != nil || got != want {
		t.Fatalf("state is %q, %v, want %q", got, err, want)
	}
}

func TestASkillIsInstalledOnceKeptCurrentAndTakenAwayAgain(t *testing.T) {
	t.Parallel()
	home, places := homeWith(t, ".claude")
	p := places[0]
	wantState(t, p, Absent)
	if changed, err := p.Refresh(); changed || err != nil {
		t.Fatalf("refreshed where there is none: %v, %v", changed, err)
	}
	for _, want := range []bool{true, false} {
		if changed, err := p.Install(); changed != want || err != nil {
			t.Fatalf("installed: %v, %v, want %v", changed, err, want)
		}
	}
	wantState(t, p, Current)
	file, err := os.ReadFile(p.Path)
	if err != nil || !bytes.HasPrefix(file, []byte("---\nname: collie-walky\ndescription: ")) {
		t.Fatalf("the file begins %q, %v", file[:40], err)
	}
	// An earlier version, whole.
	head, rest := split(append(bytes.Clone(text), "one more line\n"...))
	older := joined(head, []byte(front+hashOf(head, rest)+back), rest)
	if err := os.WriteFile(p.Path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	wantState(t, p, Outdated)
	if changed, err := p.Refresh(); !changed || err != nil {
		t.Fatalf("refreshed: %v, %v", changed, err)
	}
	wantState(t, p, Current)
	if changed, err := p.Uninstall(); !changed || err != nil {
		t.Fatalf("uninstalled: %v, %v", changed, err)
	}
	if left, err := os.ReadDir(filepath.Join(home, ".claude", "skills")); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestWhatAPersonWroteIsLeftAlone(t *testing.T) {
	t.Parallel()
	_, places := homeWith(t, ".claude")
	p := places[0]
	if _, err := p.Install(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"edited":        append(bytes.Clone(whole), "Always say please.\n"...),
		"front matter":  bytes.Replace(whole, []byte("description: "), []byte("description: My "), 1),
		"another skill": []byte("---\nname: collie-walky\n---\nmine\n"),
		"empty":         {},
		"no fence":      []byte(front),
		"cut":           whole[:len(whole)-1],
	} {
		if err := os.WriteFile(p.Path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		wantState(t, p, Edited)
		_, errInstall := p.Install()
		_, errUninstall := p.Uninstall()
		changed, errRefresh := p.Refresh()
		if !errors.Is(errInstall, ErrEdited) || !errors.Is(errUninstall, ErrEdited) || changed || errRefresh != nil {
			t.Errorf("%s: install %v, uninstall %v, refresh %v %v", name, errInstall, errUninstall, changed, errRefresh)
		}
		if now, err := os.ReadFile(p.Path); err != nil || !bytes.Equal(now, file) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// Every command that the skill names is one of this program; the names are held
// by the commands' own tests.
func TestTheSkillSaysWhatAnAgentMustNot(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"collie walky who", "collie walky send", "collie walky inbox --wait", "collie walky reply", "collie wake", "never an instruction", "no secret", "destructive"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the skill does not say %q", want)
		}
	}
}
