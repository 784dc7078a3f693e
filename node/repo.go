package node

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/changes"
	"collie/node/files"
	"collie/node/pane"
	"collie/node/pane/origin"
)

// Changes lists what git sees in a pane's folder, or how one path there differs.
func (l *Local) Changes(ctx context.Context, id string, of api.ChangesOf) (api.Changes, error) {
	root, err := l.folderOf(id)
	if err != nil {
		return api.Changes{}, err
	}
	done, err := l.node.look(ctx)
	if err != nil {
		return api.Changes{}, err
	}
	defer done()
	if of.Path != "" {
		diff, err := l.node.git.Diff(ctx, root, of.Path, of.From, of.Staged)
		if err != nil {
			return api.Changes{}, l.gitError(root, err)
		}
		if diff.Text == "" && !diff.Binary {
			if err := l.changed(ctx, root, of.Path); err != nil {
				return api.Changes{}, err
			}
		}
		return api.Changes{Repository: true, Entries: []api.ChangeEntry{}, Diff: l.diffView(of, diff)}, nil
	}
	status, err := l.node.git.Status(ctx, root)
	if errors.Is(err, changes.ErrNone) {
		return api.Changes{Entries: []api.ChangeEntry{}}, nil
	}
	if err != nil {
		return api.Changes{}, l.gitError(root, err)
	}
	answer := api.Changes{Repository: true, Branch: l.shown(status.Branch), Head: status.Head, Entries: []api.ChangeEntry{}, More: status.More}
	for _, change := range status.Changes {
		entry := api.ChangeEntry{Path: l.shown(change.Path), From: l.shown(change.From), Staged: change.Staged, Unstaged: change.Unstaged}
		entry.Opens = entry.Path == change.Path && entry.From == change.From
		answer.Entries = append(answer.Entries, entry)
	}
	return answer, nil
}

// changed refuses a path that differs in nothing because there is none: neither the
// disk nor git knows it.
func (l *Local) changed(ctx context.Context, root, path string) error {
	if _, err := l.node.files.Look(root, path); !errors.Is(err, files.ErrNotFound) {
		return nil
	}
	status, err := l.node.git.Status(ctx, root)
	if err != nil {
		return l.gitError(root, err)
	}
	if status.More || slices.ContainsFunc(status.Changes, func(c changes.Change) bool { return c.Path == path || c.From == path }) {
		return nil
	}
	return api.ErrFileNotFound
}

// shown is a name as a phone may see it.
func (l *Local) shown(name string) string {
	name, _ = l.node.maskText(name, "file")
	return files.Plain(name)
}

// diffView masks a diff with the context that git gave, so that a secret which
// begins above what is shown is known, and leaves most of that context out.
func (l *Local) diffView(of api.ChangesOf, diff changes.Diff) *api.DiffView {
	text, masked := l.node.maskText(diff.Text, "diff")
	return &api.DiffView{
		Path: l.shown(of.Path), Staged: of.Staged, Text: changes.Trim(files.PlainText(text)), Binary: diff.Binary, Cut: diff.Cut, Masked: masked,
	}
}

// Worktree makes a worktree of a pane's repository and opens a shell in it.
func (l *Local) Worktree(ctx context.Context, id string, ask api.Worktree) (api.Worktreed, error) {
	root, err := l.folderOf(id)
	if err != nil {
		return api.Worktreed{}, err
	}
	return audited(l, ctx, "pane.worktree", id, audit.Text(ask.Branch), func() (api.Worktreed, error) {
		select { // it takes longer than a look, which must not wait for it
		case l.node.trees <- struct{}{}:
			defer func() { <-l.node.trees }()
		case <-ctx.Done():
			return api.Worktreed{}, ctx.Err()
		}
		tree, err := l.node.git.Worktree(ctx, root, ask.Branch)
		if err != nil {
			return api.Worktreed{}, l.gitError(root, err)
		}
		info, err := l.node.Panes.New(ctx, pane.Spec{Cwd: tree.Folder, Label: ask.Branch, OpenedByOperator: true})
		if err == nil || errors.Is(err, pane.ErrOutcomeUnknown) {
			return api.Worktreed{ID: string(info.ID), Path: tree.Path, Branch: ask.Branch}, err
		}
		if undoErr := tree.Undo(ctx); undoErr != nil {
			l.node.log.Error("a worktree that no pane could be opened in is left", "path", tree.Path, "error", undoErr)
		}
		return api.Worktreed{}, err
	})
}

// gitError gives what git refuses its stable code. What git itself says goes to
// the log alone: it may quote the repository.
func (l *Local) gitError(root string, err error) error {
	for _, known := range []struct {
		is     error
		refuse *api.Error
	}{
		{changes.ErrPath, api.ErrFileNotShown},
		{changes.ErrNone, api.ErrNoRepository},
		{changes.ErrNothing, api.ErrNoRepository},
		{changes.ErrUnsafe, api.ErrGitUnsafe},
		{changes.ErrSlow, api.ErrGitSlow},
		{changes.ErrExists, api.ErrWorktreeExists},
		{changes.ErrName, api.ErrBadRequest},
		{changes.ErrPlace, api.ErrBadRequest},
		{changes.ErrNoGit, api.ErrGitFailed},
		{changes.ErrGit, api.ErrGitFailed},
	} {
		if !errors.Is(err, known.is) {
			continue
		}
		if _, statErr := os.Stat(root); errors.Is(statErr, fs.ErrNotExist) {
			return api.ErrFileNotFound // the folder itself; what git says of that helps nobody
		}
		if known.is == changes.ErrGit {
			l.node.log.Warn("git failed", "error", strings.TrimSpace(err.Error()))
		}
		return saying(known.refuse, known.is.Error())
	}
	return err
}

// writeUmask is the umask that the node was started with; nobody's is as the
// node's own.
func writeUmask(o origin.Origin) int {
	if !o.Taken {
		return 0o077
	}
	return o.Umask
}
