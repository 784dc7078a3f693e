package node

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"collie/node/api"
	"collie/node/files"
	"collie/node/pane"
)

// look waits for its turn to read from the disk.
func (n *Node) look(ctx context.Context) (done func(), err error) {
	select {
	case n.looks <- struct{}{}:
		return func() { <-n.looks }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// folderOf returns the root of a pane's workspace. Wherever the pane's program
// goes, nothing above that is looked at for a phone.
func (l *Local) folderOf(id string) (string, error) {
	info, err := l.paneOf(id)
	if err == nil && !filepath.IsAbs(info.Root) { // a session of tmux may have none
		return "", api.ErrFileNotFound.With("the workspace has no folder")
	}
	return info.Root, err
}

func (l *Local) paneOf(id string) (pane.Info, error) {
	checked, err := pane.ParseID(id)
	if err != nil {
		return pane.Info{}, paneError(err)
	}
	info, err := l.node.Panes.Get(checked)
	return info, paneError(err)
}

// Files opens one folder or one text file below a pane's folder.
func (l *Local) Files(ctx context.Context, id string, at api.FilesAt) (api.Files, error) {
	root, err := l.folderOf(id)
	if err != nil {
		return api.Files{}, err
	}
	done, err := l.node.look(ctx)
	if err != nil {
		return api.Files{}, err
	}
	defer done()
	found, err := l.node.files.Look(root, at.Path)
	if err != nil {
		return api.Files{}, fileError(err)
	}
	answer := api.Files{Path: files.Plain(at.Path)}
	if found.Listing != nil {
		answer.Folder = l.folderView(*found.Listing)
		return answer, nil
	}
	answer.File, err = l.fileView(*found.Text, at.From)
	return answer, err
}

func (l *Local) folderView(listing files.Listing) *api.FolderView {
	view := &api.FolderView{Entries: make([]api.FileEntry, 0, len(listing.Entries)), More: listing.More}
	for _, entry := range listing.Entries {
		name, _ := l.node.maskText(entry.Name, "file")
		name = files.Plain(name)
		shown := api.FileEntry{Name: name, Kind: string(entry.Kind), SizeBytes: entry.Size, Opens: name == entry.Name && entry.Kind != files.Other}
		if !entry.Modified.IsZero() {
			shown.ModifiedAt = entry.Modified.UnixMilli()
		}
		view.Entries = append(view.Entries, shown)
	}
	return view
}

// fileView returns one page. The whole text is masked before it is cut, so that
// no page holds a piece of a secret that could not be known for one.
func (l *Local) fileView(text files.Text, from int) (*api.FileView, error) {
	view := &api.FileView{SizeBytes: text.Size, ModifiedAt: text.Modified.UnixMilli(), Binary: text.Binary, From: from, Cut: text.Cut}
	shown, masked := l.node.maskText(string(text.Data), "file")
	shown = files.PlainText(shown)
	view.Masked = masked
	switch {
	case from > len(shown):
		return nil, api.ErrFileChanged // it was longer when the page before was read
	case from < len(shown) && !utf8.RuneStart(shown[from]):
		return nil, api.ErrBadRequest.With("no page begins there")
	}
	end := pageEnd(shown, from)
	if view.Text = shown[from:end]; end < len(shown) {
		view.Next = end
	}
	view.Above = above(shown, from)
	return view, nil
}

// above returns whole lines before a page, or nothing where it begins within a
// line.
func above(text string, from int) string {
	if from == 0 || text[from-1] != '\n' {
		return ""
	}
	begin := max(from-api.FileAboveBytes, 0)
	if begin > 0 {
		begin += strings.IndexByte(text[begin:from], '\n') + 1
	}
	return text[begin:from]
}

// pageEnd returns where a page ends that begins at from: behind a line, or
// behind a character in a line that is longer than half a page.
func pageEnd(text string, from int) int {
	end := from + api.FilePageBytes
	if end >= len(text) {
		return len(text)
	}
	if line := strings.LastIndexByte(text[from:end], '\n'); line >= api.FilePageBytes/2 {
		return from + line + 1
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// Folders lists folder names below the home folder.
func (l *Local) Folders(ctx context.Context, at api.FoldersAt) (api.Folders, error) {
	done, err := l.node.look(ctx)
	if err != nil {
		return api.Folders{}, err
	}
	defer done()
	names, more, err := l.node.files.Folders(l.node.home, at.Path, at.Start)
	if err != nil {
		return api.Folders{}, fileError(err)
	}
	answer := api.Folders{Home: l.node.home, Path: files.Plain(at.Path), Folders: []string{}, More: more}
	for _, name := range names {
		if shown, hidden := l.node.maskText(name, "file"); !hidden { // a name that is not whole opens nothing
			answer.Folders = append(answer.Folders, shown)
		}
	}
	return answer, nil
}

// saying is a refusal with more to say about it, unless that says the same again.
func saying(refuse *api.Error, more string) *api.Error {
	if more == "" || more == refuse.Message {
		return refuse
	}
	return refuse.With(more)
}

// fileError gives what the disk refuses its stable code.
func fileError(err error) error {
	for _, known := range []struct {
		is     error
		refuse *api.Error
	}{
		{files.ErrPath, api.ErrBadRequest},
		{files.ErrNotFound, api.ErrFileNotFound},
		{files.ErrOutside, api.ErrFileNotShown},
		{files.ErrHidden, api.ErrFileNotShown},
		{files.ErrSpecial, api.ErrFileNotShown},
		{files.ErrDenied, api.ErrFileNotShown},
		{files.ErrChanged, api.ErrFileChanged},
	} {
		if errors.Is(err, known.is) {
			return saying(known.refuse, files.Why(err))
		}
	}
	return err
}
