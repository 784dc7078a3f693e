// Package changes says what git sees in a folder: what is changed and how, and
// makes a worktree to work in beside it. It runs the system's git.
//
// A repository is somebody else's work: it may have come out of an archive or
// from an agent, and its configuration can name programs for git to run (hooks,
// filters, file system monitors, external diffs, text converters, ssh, helpers
// of many kinds). None of them ever runs here:
//
//   - Git is asked only for names with the repository's configuration in force:
//     where its folders are, and what HEAD is. These questions run nothing.
//   - Whatever reads content runs on a git folder of our own making, in a
//     temporary folder: it has our configuration, the repository's index, its
//     objects and the commit of HEAD, and nothing else. So there is no driver
//     that an attribute could name, no hook, no remote, no include and no
//     submodule to ask.
//   - No variable of the node's that git would read reaches it, and neither the
//     system's nor the account's configuration, except which owners are trusted
//     (safe.directory), which files are ignored, and how lines end.
//   - Nothing is written: no lock, no refreshed index.
//   - Each run has a deadline and a bound on what it may say, and is a process
//     group of its own that is killed as one.
//
// What was asked for lies below the folder; what is in the repository around it
// is left out. Texts leave this package as git says them: whoever passes them on
// masks them. Bounds are in limits.go.
package changes

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Refusals.
var (
	ErrNoGit   = errors.New("git is not installed")
	ErrNone    = errors.New("the folder is in no git repository")
	ErrUnsafe  = errors.New("git does not trust the owner of the repository (safe.directory)")
	ErrSlow    = errors.New("git took too long")
	ErrGit     = errors.New("git failed")
	ErrPath    = errors.New("the path is not one that is shown")
	ErrName    = errors.New("that cannot be the name of a branch: use letters, digits, and . _ - / between them")
	ErrExists  = errors.New("a branch or a folder of that name is there already")
	ErrNothing = errors.New("the repository has no commit yet")
	ErrPlace   = errors.New("there is no place for a worktree beside the repository")
)

// A Git looks at repositories for one node.
type Git struct {
	environ []string
	hides   func(root, path string) bool
	umask   int           // of what is written
	look    time.Duration // that a status or a diff may take
}

// New returns a Git that finds its program and the account's home in an
// environment. Paths that hides names are left out of everything; what is
// written has the umask.
func New(environ []string, umask int, hides func(root, path string) bool) *Git {
	return &Git{environ: keep(environ, "PATH", "HOME", "XDG_CONFIG_HOME"), umask: umask, hides: hides, look: lookBudget}
}

// A Change is what became of one path, beside HEAD.
type Change struct {
	Path string // below the folder
	From string // what it was called before
	// Staged and Unstaged are "", added, modified, deleted, renamed, copied,
	// typechange, untracked or conflicted.
	Staged   string
	Unstaged string
}

// A Status is what is changed below a folder.
type Status struct {
	Branch  string // "" when HEAD is no branch
	Head    string // its commit, "" when there is none
	Changes []Change
	More    bool // there is more than is listed
}

// Status lists what is changed below a folder.
func (g *Git) Status(ctx context.Context, folder string) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, g.look)
	defer cancel()
	r, err := g.find(ctx, folder)
	if err != nil {
		return Status{}, err
	}
	defer r.close()
	args := []string{
		"status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=dirty",
		"--no-ahead-behind", "--find-renames=50%", "--",
	}
	out, cut, err := r.run(ctx, maxStatusBytes, append(args, r.pathspec())...)
	if err != nil {
		return Status{}, err
	}
	status := Status{Branch: strings.TrimPrefix(r.branch, "refs/heads/"), Head: r.head, More: cut}
	all, err := parseStatus(out, cut)
	if err != nil {
		return Status{}, err
	}
	for _, change := range all {
		if !r.below(&change.Path) || g.hides(folder, strings.TrimSuffix(change.Path, "/")) {
			continue
		}
		if change.From != "" && (!r.below(&change.From) || g.hides(folder, change.From)) {
			change.From = ""
		}
		if len(status.Changes) == MaxChanges {
			status.More = true
			break
		}
		status.Changes = append(status.Changes, change)
	}
	return status, nil
}

// A Diff is how one path differs.
type Diff struct {
	Text   string // unified, with much context; see [Trim]
	Binary bool
	Cut    bool // Text is the beginning
}

// Diff says how a path below a folder differs: staged between HEAD and the
// index, otherwise between the index and the disk. from is what the path was
// called before, or "".
func (g *Git) Diff(ctx context.Context, folder, path, from string, staged bool) (Diff, error) {
	if g.hides(folder, path) || from != "" && g.hides(folder, from) {
		return Diff{}, ErrPath
	}
	ctx, cancel := context.WithTimeout(ctx, g.look)
	defer cancel()
	r, err := g.find(ctx, folder)
	if err != nil {
		return Diff{}, err
	}
	defer r.close()
	args := []string{
		"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--ignore-submodules=dirty",
		"--src-prefix=a/", "--dst-prefix=b/", "-U" + readContext,
	}
	if staged {
		args = append(args, "--cached")
	}
	args = append(args, "--", r.prefix+path)
	if from != "" {
		args = append(args, r.prefix+from)
	}
	out, cut, err := r.run(ctx, maxDiffBytes, args...)
	if err != nil {
		return Diff{}, err
	}
	text := strings.ToValidUTF8(string(out), "\uFFFD")
	if cut {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return Diff{Text: text, Cut: cut, Binary: isBinary(text)}, nil
}
