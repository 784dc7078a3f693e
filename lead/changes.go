package lead

import (
	"context"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/files"
	"collie/node/mask"
)

// Changes of a member: masked here too, and then made plain. A name that is not
// what the member said opens nothing.
func (m *remote) Changes(ctx context.Context, id string, of api.ChangesOf) (api.Changes, error) {
	said, err := ofPane(m, id, func() (api.Changes, error) { return m.machine.Changes(ctx, id, of) })
	if err != nil {
		return api.Changes{}, err
	}
	shown, _ := mask.Answer(m.mask, said)
	shown.Branch, shown.Head = files.Plain(shown.Branch), files.Plain(shown.Head)
	entries := make([]api.ChangeEntry, len(shown.Entries))
	for i, entry := range shown.Entries {
		for _, text := range []*string{&entry.Path, &entry.From, &entry.Staged, &entry.Unstaged} {
			*text = files.Plain(*text)
		}
		entry.Opens = entry.Opens && entry.Path == said.Entries[i].Path && entry.From == said.Entries[i].From
		entries[i] = entry
	}
	shown.Entries = entries
	if shown.Diff != nil {
		diff := *shown.Diff
		diff.Path, diff.Text = files.Plain(diff.Path), files.PlainText(diff.Text)
		shown.Diff = &diff
	}
	return shown, nil
}

func (m *remote) Worktree(ctx context.Context, id string, ask api.Worktree) (made api.Worktreed, err error) {
	err = m.forward(ctx, "pane.worktree", id, audit.Text(ask.Branch), func() error {
		if made, err = m.machine.Worktree(ctx, id, ask); err == nil && !validID(made.ID) {
			err = api.ErrOutcomeUnknown
		}
		return err
	})
	if made, _ = mask.Answer(m.mask, made); !validID(made.ID) {
		made.ID = "" // it is no id any more
	}
	made.Path, made.Branch = files.Plain(made.Path), files.Plain(made.Branch)
	return made, err
}

// Upload hands a file on as it comes; nothing of it is kept here.
func (m *remote) Upload(ctx context.Context, id string, upload api.Upload) (kept api.Uploaded, err error) {
	err = m.forward(ctx, "pane.upload", id, audit.Text(files.Plain(upload.Name)), func() error {
		if kept, err = m.machine.Upload(ctx, id, upload); err == nil {
			m.texts.uploaded(ctx, id, kept)
		}
		return err
	})
	kept, _ = mask.Answer(m.mask, kept)
	for _, text := range []*string{&kept.Path, &kept.Name, &kept.Type, &kept.Reason} {
		*text = files.Plain(*text)
	}
	return kept, err
}
