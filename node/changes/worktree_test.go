package changes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (c *clone) tree(folder, branch string) Worktree {
	c.t.Helper()
	made, err := c.Worktree(c.t.Context(), folder, branch)
	must(c.t, err)
	return made
}

func TestAWorktreeIsMadeBesideTheRepositoryAndNothingElseIsTouched(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	script := c.write("sub/run.sh", "#!/bin/sh\n")
	must(t, os.Chmod(script, 0o755))
	c.commit("a folder")
	c.write("kept.txt", "not committed\n")
	made := c.tree(filepath.Join(c.dir, "sub"), "fix/login")
	want := filepath.Join(filepath.Dir(c.dir), "repo.worktrees", "fix-login")
	if made.Path != want || made.Folder != filepath.Join(want, "sub") {
		t.Errorf("it is at %s, and its folder %s", made.Path, made.Folder)
	}
	tree := &clone{t: t, dir: made.Path, home: c.home, Git: c.Git}
	if got := tree.git("status", "--porcelain", "-b"); got != "## fix/login\n" {
		t.Errorf("its status: %q", got)
	}
	for name, mode := range map[string]os.FileMode{"kept.txt": 0o644, "sub/run.sh": 0o755} {
		if info, err := os.Stat(filepath.Join(made.Path, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if got := listed(c.status(c.dir)); got != "/modified kept.txt" {
		t.Errorf("what was not committed: %s", got)
	}
	for _, branch := range []string{"main", "fix/login", "fix-login", "fix/login/deeper"} {
		if _, err := c.Worktree(t.Context(), c.dir, branch); err == nil {
			t.Errorf("%s is made again", branch)
		}
	}
	if second := c.tree(made.Folder, "second"); filepath.Dir(second.Path) != filepath.Dir(made.Path) {
		t.Errorf("a worktree of a worktree is at %s", second.Path)
	}
}

func TestANameThatIsNoneIsRefusedBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	for _, name := range []string{
		"", "-b", "--force", ".hidden", "a..b", "a//b", "/a", "a/", "a.lock", "a.lock/b", "a b", "a~1", "a^", "a:b", "a\nb", "a/../b", "a/-b", "HEAD", "@", "a@{1}",
		"ü", "a.", "a./b", strings.Repeat("a", 101),
	} {
		if _, err := c.Worktree(t.Context(), c.dir, name); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Stat(c.dir + ".worktrees"); err == nil {
		t.Error("a folder was made")
	}
}

func TestAWorktreeThatCannotBeFilledIsTakenAwayAgain(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	blob := strings.TrimSpace(c.git("rev-parse", "HEAD:kept.txt"))
	must(t, os.Remove(filepath.Join(c.dir, ".git", "objects", blob[:2], blob[2:])))
	if made, err := c.Worktree(t.Context(), c.dir, "broken"); !errors.Is(err, ErrGit) {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := os.Stat(filepath.Join(c.dir+".worktrees", "broken")); err == nil {
		t.Error("the folder is left")
	}
	if out := c.git("branch", "--list", "broken") + c.git("worktree", "list"); strings.Contains(out, "broken") {
		t.Errorf("left: %s", out)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.Worktree(ended, c.dir, "late"); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
}

func TestAPlaceThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	must(t, os.Symlink(c.home, c.dir+".worktrees"))
	if _, err := c.Worktree(t.Context(), c.dir, "x"); !errors.Is(err, ErrPlace) {
		t.Errorf("a link: %v", err)
	}
	must(t, os.Remove(c.dir+".worktrees"))
	must(t, os.WriteFile(c.dir+".worktrees", nil, 0o600))
	if _, err := c.Worktree(t.Context(), c.dir, "x"); !errors.Is(err, ErrPlace) {
		t.Errorf("a file: %v", err)
	}
	c.hides = func(root, path string) bool { return root == filepath.Dir(c.dir) && path == "repo.worktrees/x" }
	if _, err := c.Worktree(t.Context(), c.dir, "x"); !errors.Is(err, ErrPlace) {
		t.Errorf("a folder of Collie's: %v", err)
	}
	c.hides = func(string, string) bool { return false }
	if _, err := c.Worktree(t.Context(), c.home, "x"); !errors.Is(err, ErrNone) {
		t.Errorf("no repository: %v", err)
	}
	must(t, os.Mkdir(filepath.Join(c.home, "fresh"), 0o700))
	fresh := &clone{t: t, dir: filepath.Join(c.home, "fresh"), home: c.home, Git: c.Git}
	fresh.git("init", "-q")
	if _, err := c.Worktree(t.Context(), fresh.dir, "x"); !errors.Is(err, ErrNothing) {
		t.Errorf("no commit: %v", err)
	}
}

func TestNothingThatARepositoryNamesIsRunForAWorktree(t *testing.T) {
	t.Parallel()
	hooks := []string{"post-checkout", "reference-transaction", "pre-commit", "post-index-change", "fsmonitor-watchman", "pre-auto-gc"}
	c := newClone(t)
	tripwire := filepath.Join(filepath.Dir(c.dir), "tripwire")
	run := c.script("run.sh", tripwire)
	c.write(".gitattributes", "* filter=evil diff=evil\n")
	c.commit("the trap's files")
	for _, dir := range []string{"hooks", ".git/hooks"} {
		must(t, os.MkdirAll(filepath.Join(c.dir, dir), 0o700))
		for _, name := range hooks {
			must(t, os.Symlink(run, filepath.Join(c.dir, dir, name)))
		}
	}
	for _, pair := range [][2]string{
		{"core.fsmonitor", run},
		{"filter.evil.smudge", run},
		{"filter.evil.clean", run},
		{"filter.evil.process", run},
		{"filter.evil.required", "true"},
		{"core.hooksPath", filepath.Join(c.dir, "hooks")},
		{"alias.worktree", "!" + run},
		{"core.sshCommand", run},
		{"core.pager", run},
		{"checkout.defaultRemote", "origin"},
		{"submodule.recurse", "true"},
	} {
		c.git("config", pair[0], pair[1])
	}
	must(t, os.RemoveAll(tripwire))
	made := c.tree(c.dir, "safe")
	if said, err := os.ReadFile(tripwire); err == nil {
		t.Errorf("it was run: %s", said)
	}
	if data, err := os.ReadFile(filepath.Join(made.Path, "kept.txt")); err != nil || string(data) != "kept\n" {
		t.Errorf("a file in it: %q, %v", data, err)
	}
	must(t, made.Undo(t.Context()))
	if said, err := os.ReadFile(tripwire); err == nil {
		t.Errorf("it was run: %s", said)
	}
	if _, err := os.Stat(made.Path); err == nil {
		t.Error("it is there after it was undone")
	}
	if _, _ = c.plain("worktree", "add", "-q", filepath.Join(c.home, "tree"), "-b", "plain"); true {
		if _, err := os.Stat(tripwire); err != nil {
			t.Error("git itself does not run into the trap: it shows nothing")
		}
	}
}
