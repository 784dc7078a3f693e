package lead

import (
	"context"
	"strings"

	"collie/node/api"
	"collie/node/files"
	"collie/node/mask"
)

// Files of a member: each text masked here too before it is looked at, and then
// made plain. A name that the mask changed opens nothing.
func (m *remote) Files(ctx context.Context, id string, at api.FilesAt) (api.Files, error) {
	said, err := ofPane(m, id, func() (api.Files, error) { return m.machine.Files(ctx, id, at) })
	if err != nil {
		return api.Files{}, err
	}
	if said.File != nil {
		said.File = m.joined(*said.File)
	}
	shown, _ := mask.Answer(m.mask, said)
	shown.Path = files.Plain(shown.Path)
	if shown.Folder != nil {
		folder := *shown.Folder
		folder.Entries = make([]api.FileEntry, len(shown.Folder.Entries))
		for i, entry := range shown.Folder.Entries {
			entry.Name, entry.Kind = files.Plain(entry.Name), files.Plain(entry.Kind)
			entry.Opens = entry.Opens && entry.Name == said.Folder.Entries[i].Name
			folder.Entries[i] = entry
		}
		shown.Folder = &folder
	}
	if shown.File != nil {
		file := *shown.File
		file.Text = files.PlainText(file.Text)
		shown.File = &file
	}
	return shown, nil
}

// joined masks a page of a file as one text with the lines before it, which then
// go.
func (m *remote) joined(file api.FileView) *api.FileView {
	above := file.Above
	file.Above = ""
	if m.mask == nil || !strings.HasSuffix(above, "\n") {
		return &file
	}
	text, found := m.mask.Text(above+file.Text, mask.Options{Surface: "file"})
	if !found {
		return &file
	}
	for range strings.Count(above, "\n") { // a mask keeps the lines
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	file.Masked = file.Masked || text != file.Text
	file.Text = text
	return &file
}

func (m *remote) Folders(ctx context.Context, at api.FoldersAt) (api.Folders, error) {
	said, err := m.machine.Folders(ctx, at)
	if err != nil {
		return api.Folders{}, on(m.host, err)
	}
	shown, _ := mask.Answer(m.mask, said)
	shown.Home, shown.Path = files.Plain(shown.Home), files.Plain(shown.Path)
	folders := make([]string, len(shown.Folders))
	for i, name := range shown.Folders {
		folders[i] = files.Plain(name)
	}
	shown.Folders = folders
	return shown, nil
}
