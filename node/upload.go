package node

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"unicode"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/files"
	"collie/node/pane"
	"collie/node/shell"
	"collie/node/status"
	"collie/node/uploads"
)

// Upload keeps a file and types its path into the pane, without Enter. A file
// whose path could not be typed is kept all the same, and its path answered.
func (l *Local) Upload(ctx context.Context, id string, upload api.Upload) (api.Uploaded, error) {
	if _, err := l.paneOf(id); err != nil {
		return api.Uploaded{}, err
	}
	saw, err := l.saw(ctx, id, upload.Screen)
	if err != nil {
		return api.Uploaded{}, err
	}
	return audited(l, ctx, "pane.upload", id, audit.Text(files.Plain(upload.Name)), func() (api.Uploaded, error) {
		file, err := l.node.uploads.Put(ctx, upload.Name, upload.Size, upload.Body)
		if err != nil {
			return api.Uploaded{}, uploadError(err)
		}
		answer := api.Uploaded{Path: file.Path, Name: file.Name, Type: file.Type, SizeBytes: file.Size, Pasted: true}
		if err := l.pastePath(ctx, id, file.Path, saw); err != nil {
			answer.Pasted, answer.Reason = false, api.AsError(paneError(err)).Code
		}
		return answer, nil
	})
}

// pastePath types a path into a pane, under the rule for every text that a
// person sends.
func (l *Local) pastePath(ctx context.Context, id, path string, saw func(status.Sight) error) error {
	w, done, err := l.node.turns.take(ctx, pane.ID(id))
	if err != nil {
		return err
	}
	defer done()
	t := l.node.text(w, pane.ID(id))
	t.Saw, t.Holds = saw, l.phone(ctx, id)
	_, err = t.Type(ctx, PastedPath(path), false)
	return err
}

// PastedPath is what is typed for a file that was sent.
func PastedPath(path string) string {
	if !strings.ContainsFunc(path, unicode.IsControl) { // which no quoting keeps from a terminal
		path = shell.Word(path)
	}
	return path + " "
}

// uploadError gives what the store refuses its stable code.
func uploadError(err error) error {
	for _, known := range []struct {
		is     error
		refuse *api.Error
	}{
		{uploads.ErrFull, api.ErrUploadsFull},
		{uploads.ErrTooLarge, api.ErrUploadTooBig},
		{uploads.ErrBroken, api.ErrUploadAborted},
		{uploads.ErrEmpty, api.ErrBadRequest.With(uploads.ErrEmpty.Error())},
		{uploads.ErrFolder, api.ErrCannotStore.With("uploads")},
		{syscall.ENOSPC, api.ErrCannotStore.With("uploads")},
		{syscall.EDQUOT, api.ErrCannotStore.With("uploads")},
	} {
		if errors.Is(err, known.is) {
			return known.refuse
		}
	}
	return err
}
