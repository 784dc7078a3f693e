package changes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"collie/crypto/need"
)

func TestEveryKindOfChangeIsListed(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("moved.txt", strings.Repeat("the same line\n", 20))
	c.write("sub/inner.txt", "x\n")
	c.write("gone.txt", "x\n")
	c.write("type", "x\n")
	c.commit("more")
	if got := c.status(c.dir); listed(got) != "" || got.Branch != "main" || len(got.Head) != 40 || got.More {
		t.Errorf("a clean repository: %+v", got)
	}
	c.git("mv", "moved.txt", "a name with\ttab and ü.txt")
	c.write("kept.txt", "staged\n")
	c.git("add", "kept.txt")
	c.write("kept.txt", "unstaged\n")
	c.write("sub/inner.txt", "y\n")
	must(t, os.Remove(filepath.Join(c.dir, "gone.txt")))
	must(t, os.Remove(filepath.Join(c.dir, "type")))
	must(t, os.Symlink("kept.txt", filepath.Join(c.dir, "type")))
	c.write("new.txt", "n\n")
	c.write("newdir/a", "n\n")
	c.write("added.txt", "a\n")
	c.git("add", "added.txt")
	want := "renamed/ a name with\ttab and ü.txt moved.txt, added/ added.txt, /deleted gone.txt, modified/modified kept.txt, " +
		"/modified sub/inner.txt, /typechange type, /untracked new.txt, /untracked newdir/"
	if got := listed(c.status(c.dir)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := listed(c.status(filepath.Join(c.dir, "sub"))); got != "/modified inner.txt" {
		t.Errorf("of a folder in the repository: %s", got)
	}
}

func TestADiffIsOfTheStagedOrOfTheUnstaged(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("kept.txt", "staged\n")
	c.git("add", "kept.txt")
	c.write("kept.txt", "unstaged\n")
	c.write("image.bin", "\x89PNG\x00\x02")
	if got := c.diff("kept.txt", true).Text; !strings.HasSuffix(got, "@@ -1 +1 @@\n-kept\n+staged\n") {
		t.Errorf("staged: %q", got)
	}
	if got := c.diff("kept.txt", false).Text; !strings.HasSuffix(got, "@@ -1 +1 @@\n-staged\n+unstaged\n") {
		t.Errorf("unstaged: %q", got)
	}
	if got := c.diff("image.bin", false); !got.Binary {
		t.Errorf("a binary file: %+v", got)
	}
	if got := c.diff("code.go", false); got.Text != "" || got.Binary {
		t.Errorf("what is not changed: %+v", got)
	}
	c.git("mv", "code.go", "*.go")
	diff, err := c.Diff(t.Context(), c.dir, "*.go", "code.go", true)
	if err != nil || !strings.Contains(diff.Text, "rename from code.go\nrename to *.go\n") {
		t.Errorf("a rename: %+v, %v", diff, err)
	}
}

func TestARepositoryWithoutACommitAndAWorktreeAndAConflict(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.git("branch", "other")
	c.write("kept.txt", "ours\n")
	c.commit("ours")
	c.git("worktree", "add", "-q", filepath.Join(filepath.Dir(c.dir), "tree"), "other")
	tree := &clone{t: t, dir: filepath.Join(filepath.Dir(c.dir), "tree"), home: c.home, Git: c.Git}
	tree.write("kept.txt", "theirs\n")
	if got := c.status(tree.dir); listed(got) != "/modified kept.txt" || got.Branch != "other" {
		t.Errorf("a worktree: %+v", got)
	}
	tree.commit("theirs")
	if out, err := c.plain("merge", "other"); err == nil {
		t.Fatalf("the merge went well: %s", out)
	}
	if got := listed(c.status(c.dir)); got != "/conflicted kept.txt" {
		t.Errorf("a conflict: %s", got)
	}
	if got := c.diff("kept.txt", false).Text; !strings.Contains(got, "@@@") {
		t.Errorf("its diff: %q", got)
	}
	c.git("checkout", "-q", "-f", "--detach", "HEAD")
	if got := c.status(c.dir); got.Branch != "" || got.Head == "" {
		t.Errorf("a HEAD that is no branch: %+v", got)
	}

	fresh := &clone{t: t, dir: filepath.Join(t.TempDir(), "fresh"), home: c.home, Git: c.Git}
	must(t, os.Mkdir(fresh.dir, 0o700))
	fresh.git("init", "-q", "-b", "main", "--object-format=sha256")
	fresh.write("a", "a\n")
	fresh.git("add", "a")
	if got := fresh.status(fresh.dir); listed(got) != "added/ a" || got.Head != "" || got.Branch != "main" {
		t.Errorf("no commit yet: %+v", got)
	}
	if got := fresh.diff("a", true).Text; !strings.HasSuffix(got, "+a\n") {
		t.Errorf("its diff: %q", got)
	}
}

func TestWhatTheAccountAndTheRepositoryIgnoreIsLeftOut(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	must(t, os.MkdirAll(filepath.Join(c.home, "cfg"), 0o700))
	must(t, os.WriteFile(filepath.Join(c.home, "cfg", "ignore"), []byte("*.global\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(c.home, ".gitconfig"), []byte("[core]\n\texcludesFile = ~/cfg/ignore\n"), 0o600))
	c.write(".git/info/exclude", "*.excluded\n")
	c.write(".gitignore", "*.ignored\n")
	for _, name := range []string{"a.global", "a.excluded", "a.ignored", "a.shown"} {
		c.write(name, "x")
	}
	c.git("config", "core.splitIndex", "true")
	c.write("kept.txt", "split\n")
	c.git("update-index", "--split-index", "kept.txt")
	if got := listed(c.status(c.dir)); got != "modified/ kept.txt, /untracked .gitignore, /untracked a.shown" {
		t.Errorf("listed %s", got)
	}
}

func TestWhatIsHiddenIsNeitherListedNorCompared(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("state/identity.pem", "key\n")
	c.write("seen", "x\n")
	c.commit("more")
	c.hides = func(root, path string) bool { return root != c.dir || strings.HasPrefix(path, "state") }
	c.write("state/identity.pem", "new key\n")
	c.git("mv", "state/identity.pem", "innocent")
	if got := listed(c.status(c.dir)); got != "renamed/modified innocent" {
		t.Errorf("listed %s", got)
	}
	for _, names := range [][2]string{{"state/identity.pem", ""}, {"seen", "state/identity.pem"}} {
		if _, err := c.Diff(t.Context(), c.dir, names[0], names[1], false); !errors.Is(err, ErrPath) {
			t.Errorf("%s: %v", names, err)
		}
	}
}

func TestWhatIsNoRepositoryOfOursIsToldApart(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	outside := t.TempDir()
	if _, err := c.Status(t.Context(), outside); !errors.Is(err, ErrNone) {
		t.Errorf("no repository: %v", err)
	}
	if _, err := c.Status(t.Context(), filepath.Join(c.dir, ".git")); !errors.Is(err, ErrNone) {
		t.Errorf("in .git: %v", err)
	}
	if _, err := New([]string{"PATH=" + outside + ":relative"}, 0, nil).Status(t.Context(), c.dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("without git: %v", err)
	}
}

func TestARepositoryOfSomebodyElseIsNotLookedAtUnlessTheAccountTrustsIt(t *testing.T) {
	t.Parallel()
	need.Root(t, "to give a folder away")
	c := newClone(t)
	must(t, filepath.WalkDir(c.dir, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 12345, 12345))
	}))
	if _, err := c.Status(t.Context(), c.dir); !errors.Is(err, ErrUnsafe) {
		t.Errorf("somebody else's: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(c.home, ".gitconfig"), []byte("[safe]\n\tdirectory = "+c.dir+"\n"), 0o600))
	if _, err := c.Status(t.Context(), c.dir); err != nil {
		t.Errorf("somebody else's that the account trusts: %v", err)
	}
}

func TestALargeRepositoryIsBounded(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	for i := range MaxChanges + 5 {
		c.write(fmt.Sprintf("n%04d", i), "")
	}
	if got := c.status(c.dir); len(got.Changes) != MaxChanges || !got.More {
		t.Errorf("%d changes, more %v", len(got.Changes), got.More)
	}
	c.write("kept.txt", strings.Repeat("a line of some length\n", maxDiffBytes/10))
	if got := c.diff("kept.txt", false); !got.Cut || len(got.Text) > maxDiffBytes || !strings.HasSuffix(got.Text, "\n") {
		t.Errorf("%d bytes, cut %v", len(got.Text), got.Cut)
	}
}

// A .gitignore that is a named pipe holds git up for ever.
func TestAGitThatHangsIsKilledAtItsDeadline(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.look = time.Second
	must(t, os.Mkdir(filepath.Join(c.dir, "sub"), 0o700))
	c.write("sub/x", "")
	must(t, syscall.Mkfifo(filepath.Join(c.dir, "sub", ".gitignore"), 0o600))
	if _, err := c.Status(t.Context(), c.dir); !errors.Is(err, ErrSlow) {
		t.Errorf("a pipe for a list of ignored files: %v", err)
	}
}

func TestNothingOfTheRepositoryIsWritten(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.write("kept.txt", "changed\n")
	state := func() string {
		var all strings.Builder
		must(t, filepath.WalkDir(filepath.Join(c.dir, ".git"), func(path string, entry os.DirEntry, err error) error {
			must(t, err)
			info, err := entry.Info()
			must(t, err)
			fmt.Fprintln(&all, path, info.Size(), info.ModTime().UnixNano())
			return nil
		}))
		return all.String()
	}
	before := state()
	c.status(c.dir)
	c.diff("kept.txt", false)
	if after := state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
