package lead

import (
	"strings"
	"testing"

	"collie/node/api"
)

// A page begins in the middle of a key, whose first line is on the page before.
func TestAKeyThatBeginsOnThePageBeforeIsMaskedByTheLead(t *testing.T) {
	t.Parallel()
	line := "MIIEowIBAAKCAQEAxk9mB3nQMIIEowIBAAKCAQEAxk9mB3nQMIIEowIBAAKCAQEA\n"
	above := "text\n-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line, 10)
	page := strings.Repeat(line, 10) + "-----END RSA PRIVATE KEY-----\nthe end\n"
	m := atlas(t, &machine{files: api.Files{File: &api.FileView{From: 9, Above: above, Text: page}}})
	got, err := m.Files(t.Context(), "p1", api.FilesAt{Path: "key", From: 9})
	must(t, err)
	if text := got.File.Text; got.File.Above != "" || !got.File.Masked || strings.Contains(text, "MIIE") ||
		strings.Count(text, "\n") != 12 || !strings.HasSuffix(text, "\nthe end\n") {
		t.Errorf("%+v", got.File)
	}
}

func TestFilesOfAMemberAreMaskedMadePlainAndKeptToTheirNames(t *testing.T) {
	t.Parallel()
	m := atlas(t, &machine{files: api.Files{
		Path: "x\u202ey",
		Folder: &api.FolderView{Entries: []api.FileEntry{
			{Name: "main.go", Kind: "file", Opens: true}, {Name: secretText, Kind: "file", Opens: true}, {Name: "a\x1bb", Kind: "file", Opens: true},
		}},
		File: &api.FileView{Text: "\x1b[31m" + secretText + "\n"},
	}})
	got, err := m.Files(t.Context(), "p1", api.FilesAt{Path: "x"})
	must(t, err)
	hides(t, "files", got)
	entries := got.Folder.Entries
	if !entries[0].Opens || entries[1].Opens || entries[2].Opens || entries[2].Name != "a\uFFFDb" || got.Path != "x\uFFFDy" {
		t.Errorf("%+v, path %q", entries, got.Path)
	}
	if text := got.File.Text; text[:8] != "\uFFFD[31mg" || !got.File.Masked {
		t.Errorf("text %q, masked %v", text, got.File.Masked)
	}
	if _, err := m.Files(t.Context(), "../p", api.FilesAt{}); api.AsError(err).Code != "pane_not_found" {
		t.Errorf("an id that is none: %v", err)
	}
}
