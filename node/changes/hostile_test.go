package changes

import (
	"bytes"
	"crypto/sha1"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/node/files"
)

// trap is a way in which a repository names a program for git to run.
type trap struct {
	config     []string // key and value; RUN is a program that trips the wire
	attributes string
	set        func(c *clone, run, tripwire string)
	// plain says that git trips the wire when anybody asks for status and diff,
	// so that the trap is known to work.
	plain bool
}

// touched is a time that no index has.
var touched = time.Unix(1_000_000_000, 0)

var traps = map[string]trap{
	"file system monitor":  {config: []string{"core.fsmonitor", "RUN"}, plain: true},
	"external diff":        {config: []string{"diff.external", "RUN"}, plain: true},
	"diff driver":          {config: []string{"diff.evil.command", "RUN"}, attributes: "* diff=evil\n", plain: true},
	"text converter":       {config: []string{"diff.evil.textconv", "RUN"}, attributes: "* diff=evil\n", plain: true},
	"clean filter":         {config: []string{"filter.evil.clean", "RUN", "filter.evil.required", "true"}, attributes: "* filter=evil\n", plain: true},
	"long running filter":  {config: []string{"filter.evil.process", "RUN"}, attributes: "* filter=evil\n", plain: true},
	"smudge filter":        {config: []string{"filter.evil.smudge", "RUN"}, attributes: "* filter=evil\n"},
	"pager":                {config: []string{"core.pager", "RUN", "pager.status", "RUN", "pager.diff", "RUN", "pager.rev-parse", "RUN", "pager.config", "RUN"}},
	"alias":                {config: []string{"alias.status", "!RUN", "alias.diff", "!RUN", "alias.rev-parse", "!RUN", "alias.config", "!RUN"}},
	"editor and helpers":   {config: []string{"core.editor", "RUN", "credential.helper", "RUN", "core.askPass", "RUN", "gpg.program", "RUN", "sequence.editor", "RUN", "core.gitProxy", "RUN", "core.alternateRefsCommand", "RUN", "uploadpack.packObjectsHook", "RUN", "interactive.diffFilter", "RUN"}},
	"tracing to a program": {config: []string{"trace2.eventTarget", "RUN", "trace2.normalTarget", "RUN"}},
	"an included file": {set: func(c *clone, run, _ string) {
		c.write(".git/included", "[core]\n\tfsmonitor = "+run+"\n[diff]\n\texternal = "+run+"\n")
		c.git("config", "include.path", "included")
	}, plain: true},
	"a file that is included for this folder": {set: func(c *clone, run, _ string) {
		c.write(".git/included", "[core]\n\tfsmonitor = "+run+"\n")
		c.git("config", "includeIf.gitdir:"+c.dir+"/.path", "included")
	}, plain: true},
	"attributes of the repository": {config: []string{"filter.evil.clean", "RUN"}, set: func(c *clone, _, _ string) {
		c.write(".git/info/attributes", "* filter=evil\n")
	}, plain: true},
	"settings of one worktree": {set: func(c *clone, run, _ string) {
		c.git("config", "extensions.worktreeConfig", "true")
		c.git("config", "--worktree", "core.fsmonitor", run)
	}, plain: true},
	"every hook": {set: func(c *clone, run, _ string) {
		c.git("config", "core.hooksPath", filepath.Join(c.dir, "hooks"))
		for _, name := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction", "pre-auto-gc"} {
			for _, dir := range []string{"hooks", ".git/hooks"} {
				must(c.t, os.MkdirAll(filepath.Join(c.dir, dir), 0o700))
				must(c.t, os.Symlink(run, filepath.Join(c.dir, dir, name)))
			}
		}
		must(c.t, os.Chtimes(filepath.Join(c.dir, "code.go"), touched, touched)) // so that the index wants to be refreshed
	}, plain: true},
	"a submodule with a monitor and a filter": {set: func(c *clone, run, _ string) {
		sub := &clone{t: c.t, dir: filepath.Join(c.dir, "sub"), home: c.home, Git: c.Git}
		must(c.t, os.Mkdir(sub.dir, 0o700))
		sub.git("init", "-q")
		sub.write("x", "x\n")
		sub.commit("x")
		c.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "./sub", "sub")
		c.commit("a submodule")
		sub.git("config", "core.fsmonitor", run)
		sub.git("config", "filter.evil.clean", run)
		sub.write(".git/info/attributes", "* filter=evil\n")
		sub.write("x", "y\n")
		c.git("config", "submodule.sub.update", "!"+run)
		c.git("config", "submodule.sub.ignore", "none")
		c.git("config", "diff.submodule", "log")
	}, plain: true},
	"a remote to fetch a missing object from": {set: func(c *clone, run, tripwire string) {
		blob := strings.TrimSpace(c.git("rev-parse", "HEAD:kept.txt"))
		must(c.t, os.Remove(filepath.Join(c.dir, ".git", "objects", blob[:2], blob[2:])))
		c.git("config", "core.repositoryFormatVersion", "1")
		c.git("config", "extensions.partialClone", "origin")
		c.git("config", "remote.origin.promisor", "true")
		c.git("config", "remote.origin.url", "ssh://nobody@host.invalid/x")
		c.write("run.sh", "#!/bin/sh\n>'"+tripwire+"'\n") // it takes no input
		c.git("config", "core.sshCommand", run)
		c.git("config", "protocol.ext.allow", "always")
	}, plain: true},
}

func TestNothingThatARepositoryNamesIsRun(t *testing.T) {
	t.Parallel()
	for name, trap := range traps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			tripwire := filepath.Join(filepath.Dir(c.dir), "tripwire")
			run := c.script("run.sh", tripwire)
			if trap.attributes != "" {
				c.write(".gitattributes", trap.attributes)
			}
			c.commit("the trap's files")
			if trap.set != nil {
				trap.set(c, run, tripwire)
			}
			for i := 0; i < len(trap.config); i += 2 {
				c.git("config", trap.config[i], strings.ReplaceAll(trap.config[i+1], "RUN", run))
			}
			must(t, os.RemoveAll(tripwire)) // while it was set, git may have run it
			c.write("kept.txt", "changed\n")

			status, err := c.Status(t.Context(), c.dir)
			if err != nil || !strings.Contains(listed(status), "/modified kept.txt") {
				t.Errorf("the status is %s, %v", listed(status), err)
			}
			for _, staged := range []bool{false, true} {
				_, _ = c.Diff(t.Context(), c.dir, "kept.txt", "", staged) // an object may be missing
				_, _ = c.Diff(t.Context(), c.dir, "code.go", "", staged)
			}
			if said, err := os.ReadFile(tripwire); err == nil {
				t.Errorf("it was run: %s", said)
			}
			if trap.plain {
				_, _ = c.plain("status")
				_, _ = c.plain("--no-pager", "diff")
				_, _ = c.plain("add", "-u") // for the hook of a new index
				if _, err := os.Stat(tripwire); err != nil {
					t.Error("git itself does not run into the trap: it shows nothing")
				}
			}
		})
	}
}

func TestTheEnvironmentOfTheNodeDoesNotReachGit(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	tripwire := filepath.Join(base, "tripwire")
	run := filepath.Join(base, "run")
	must(t, os.WriteFile(run, []byte("#!/bin/sh\n>'"+tripwire+"'\n"), 0o700))
	c := newClone(t, "GIT_EXTERNAL_DIFF="+run, "GIT_DIR="+base, "GIT_WORK_TREE=/", "GIT_INDEX_FILE=/dev/null", "GIT_PAGER="+run,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+run, "GIT_CONFIG_PARAMETERS='core.fsmonitor="+run+"'",
		"GIT_EXEC_PATH="+base, "LD_PRELOAD=/nonexistent.so")
	c.write("kept.txt", "changed\n")
	if got := listed(c.status(c.dir)); got != "/modified kept.txt" {
		t.Errorf("listed %s", got)
	}
	if got := c.diff("kept.txt", false).Text; !strings.HasSuffix(got, "+changed\n") {
		t.Errorf("diff %q", got)
	}
	if _, err := os.Stat(tripwire); err == nil {
		t.Error("it was run")
	}
}

func TestTheConfigurationOfTheAccountRunsNothing(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	tripwire := filepath.Join(filepath.Dir(c.dir), "tripwire")
	run := c.script("run.sh", tripwire)
	must(t, os.WriteFile(filepath.Join(c.home, ".gitconfig"), []byte("[core]\n\tfsmonitor = "+run+"\n\tpager = "+run+
		"\n\tattributesFile = ~/attributes\n[diff]\n\texternal = "+run+"\n[filter \"evil\"]\n\tclean = "+run+"\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(c.home, "attributes"), []byte("* filter=evil\n"), 0o600))
	c.write("kept.txt", "changed\n")
	if got := listed(c.status(c.dir)); got != "/modified kept.txt, /untracked run.sh" {
		t.Errorf("listed %s", got)
	}
	c.diff("kept.txt", false)
	if _, err := os.Stat(tripwire); err == nil {
		t.Error("it was run")
	}
}

// A repository may say that its files are anywhere. Only what is below the
// folder is listed and compared.
func TestAWorkTreeElsewhereShowsNothingOfIt(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	private := filepath.Join(c.home, "private.txt")
	must(t, os.WriteFile(private, []byte("private\n"), 0o600))
	for _, where := range []string{c.home, "/"} {
		c.git("config", "core.worktree", where)
		status, err := c.Status(t.Context(), c.dir)
		if strings.Contains(listed(status), "private") {
			t.Errorf("core.worktree=%s: %s, %v", where, listed(status), err)
		}
		if diff, err := c.Diff(t.Context(), c.dir, "../home/private.txt", "", false); err == nil && diff.Text != "" {
			t.Errorf("core.worktree=%s: %+v", where, diff)
		}
	}
	bare := filepath.Join(filepath.Dir(c.dir), "bare")
	c.git("config", "--unset", "core.worktree")
	c.git("clone", "-q", "--bare", c.dir, bare)
	other := &clone{t: t, dir: bare, home: c.home, Git: c.Git}
	other.git("config", "core.bare", "false")
	other.git("config", "core.worktree", bare)
	if status, err := c.Status(t.Context(), bare); err == nil {
		t.Errorf("a repository that lies open in a folder is used: %+v", status)
	}
}

// An index may name paths that no git would put there.
func TestAnIndexThatNamesAFileOutsideShowsNothingOfIt(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.hides = files.New().Hides
	must(t, os.WriteFile(filepath.Join(filepath.Dir(c.dir), "private"), []byte("private words\n"), 0o600))
	c.write("ab/private", "x\n")
	c.write("cdef/config", "x\n")
	must(t, os.Symlink("..", filepath.Join(c.dir, "up")))
	c.write("gh/private", "x\n")
	c.commit("what will be patched")
	path := filepath.Join(c.dir, ".git", "index")
	index, err := os.ReadFile(path)
	must(t, err)
	for from, to := range map[string]string{"ab/private": "../private", "cdef/config": ".git/config", "gh/private": "up/private"} {
		if bytes.Count(index, []byte(from)) != 1 {
			t.Fatalf("%s is %d times in the index", from, bytes.Count(index, []byte(from)))
		}
		index = bytes.Replace(index, []byte(from), []byte(to), 1)
	}
	sum := sha1.Sum(index[:len(index)-sha1.Size])
	must(t, os.WriteFile(path, append(index[:len(index)-sha1.Size], sum[:]...), 0o600))
	status, err := c.Status(t.Context(), c.dir)
	if got := listed(status); err == nil && (strings.Contains(got, "private ") || strings.Contains(got, "..") || strings.Contains(got, ".git/")) {
		t.Errorf("listed %s", got)
	}
	for _, path := range []string{"../private", ".git/config", "up/private"} {
		if diff, err := c.Diff(t.Context(), c.dir, path, "", false); err == nil {
			t.Errorf("%s: %+v", path, diff)
		}
	}
}
