package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// branchName is what a person may call a branch here: a part of what git takes,
// none of which a shell, a path or git itself could take for something else.
var branchName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

func checkBranch(name string) error {
	if len(name) > maxBranchBytes || !branchName.MatchString(name) || strings.Contains(name, "..") ||
		strings.HasSuffix(name, ".") || strings.Contains(name+"/", ".lock/") || strings.Contains(name, "./") || name == "HEAD" {
		return ErrName
	}
	return nil
}

// A Worktree is a folder with a branch of its own.
type Worktree struct {
	Path   string // of the work tree
	Folder string // in it, the one that the worktree was made from
	undo   func(context.Context) error
}

// Undo takes the worktree and its branch away again, for when nobody can use it.
func (w Worktree) Undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoBudget)
	defer cancel()
	return w.undo(ctx)
}

// Worktree makes a branch from the commit of HEAD and a folder for it, in
// NAME.worktrees beside the repository's own. What is not committed stays where
// it is. Nothing that exists is changed, and nothing that the repository
// configures is run: no hook, and no filter either, so that a file which git
// keeps elsewhere (LFS) or encrypted is there as git keeps it.
func (g *Git) Worktree(ctx context.Context, folder, branch string) (Worktree, error) {
	if err := checkBranch(branch); err != nil {
		return Worktree{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, treeBudget)
	defer cancel()
	r, err := g.find(ctx, folder)
	if err != nil {
		return Worktree{}, err
	}
	defer r.close()
	if r.head == "" {
		return Worktree{}, ErrNothing
	}
	path, err := r.place(strings.ReplaceAll(branch, "/", "-"))
	if err != nil {
		return Worktree{}, err
	}
	ref := "refs/heads/" + branch
	switch _, _, err := g.run(ctx, r.top, nil, maxSmallBytes, "rev-parse", "-q", "--verify", ref); {
	case err == nil:
		return Worktree{}, ErrExists
	case !ended(err, 1):
		return Worktree{}, err
	}
	made := Worktree{Path: path, Folder: path, undo: func(ctx context.Context) error { return g.unmake(ctx, r.top, path, ref, r.head) }}
	if err := g.fillTree(ctx, r, path, branch); err != nil {
		return Worktree{}, errors.Join(err, made.Undo(ctx))
	}
	if inner := filepath.Join(path, r.prefix); r.prefix != "" && isFolder(inner) {
		made.Folder = inner
	}
	return made, nil
}

// fillTree makes the worktree empty, which runs nothing, and then has its files
// written by way of our own git folder.
func (g *Git) fillTree(ctx context.Context, r *repository, path, branch string) error {
	if _, _, err := g.write(ctx, r.top, nil, "worktree", "add", "--no-checkout", "--no-track", "-q", "-b", branch, path, r.head); err != nil {
		return err
	}
	tree, err := g.find(ctx, path)
	if err != nil {
		return err
	}
	defer tree.close()
	if tree.head != r.head || tree.top != path {
		return fmt.Errorf("%w: the worktree is another one", ErrGit)
	}
	_, _, err = g.write(ctx, tree.top, tree.env, "read-tree", "--reset", "-u", tree.head)
	return err
}

// unmake takes away what fillTree may have made. The branch goes only while it
// is at the commit that it began with.
func (g *Git) unmake(ctx context.Context, top, path, ref, head string) error {
	_, _, err := g.write(ctx, top, nil, "worktree", "remove", "--force", "--force", path)
	if !isFolder(path) {
		err = nil // it was never made
	}
	if _, _, found := g.run(ctx, top, nil, maxSmallBytes, "rev-parse", "-q", "--verify", ref); ended(found, 1) {
		return err
	}
	_, _, refErr := g.write(ctx, top, nil, "update-ref", "-d", ref, head)
	return errors.Join(err, refErr)
}

// place returns where a worktree of a name goes, which must not be there.
func (r *repository) place(name string) (string, error) {
	main := r.top
	if filepath.Base(r.common) == ".git" {
		main = filepath.Dir(r.common) // also for a worktree of a worktree
	}
	parent, beside := filepath.Dir(main), filepath.Base(main)+".worktrees"
	if parent == main || r.git.hides(parent, beside+"/"+name) {
		return "", ErrPlace
	}
	dir := filepath.Join(parent, beside)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%w: %w", ErrPlace, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrPlace, err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() {
		return "", ErrPlace
	}
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", ErrExists
	}
	return path, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
