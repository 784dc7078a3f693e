package changes

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for git on a loaded machine.
const patience = 60 * time.Second

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A clone is a real repository that a test made, and the Git that looks at it.
type clone struct {
	t    *testing.T
	dir  string
	home string
	*Git
}

// newClone returns a repository with one commit.
func newClone(t *testing.T, more ...string) *clone {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	c := &clone{t: t, dir: filepath.Join(base, "repo"), home: filepath.Join(base, "home")}
	for _, dir := range []string{c.dir, c.home} {
		must(t, os.Mkdir(dir, 0o700))
	}
	c.Git = New(append(c.environ(), more...), 0o022, func(string, string) bool { return false })
	c.git("init", "-q", "-b", "main")
	c.write("kept.txt", "kept\n")
	c.write("code.go", "package a\n\nfunc A() {}\n")
	c.write("image.bin", "\x89PNG\x00\x01")
	c.commit("first")
	return c
}

func (c *clone) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home}
}

// plain runs git as anybody would.
func (c *clone) plain(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.WaitDelay = c.dir, time.Second
	cmd.Env = append(c.environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.example", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.example")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (c *clone) git(args ...string) string {
	c.t.Helper()
	out, err := c.plain(args...)
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (c *clone) commit(message string) {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "-m", message)
}

func (c *clone) write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	must(c.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(c.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// script writes a program that leaves a trace and says what it was given.
func (c *clone) script(name, tripwire string) string {
	c.t.Helper()
	path := c.write(name, "#!/bin/sh\necho \"$0 $*\" >>'"+tripwire+"'\ncat\n")
	must(c.t, os.Chmod(path, 0o700))
	return path
}

// listed is a status in one line.
func listed(s Status) string {
	var all []string
	for _, change := range s.Changes {
		all = append(all, strings.TrimSpace(change.Staged+"/"+change.Unstaged+" "+change.Path+" "+change.From))
	}
	return strings.Join(all, ", ")
}

func (c *clone) status(folder string) Status {
	c.t.Helper()
	status, err := c.Status(c.t.Context(), folder)
	must(c.t, err)
	return status
}

func (c *clone) diff(path string, staged bool) Diff {
	c.t.Helper()
	diff, err := c.Diff(c.t.Context(), c.dir, path, "", staged)
	must(c.t, err)
	return diff
}
