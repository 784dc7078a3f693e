package node_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// token is a secret of a form that the mask knows, put together so that no
// scanner takes this file for a leak.
var token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

// workspace is a pane in a folder of its own.
func workspace(t *testing.T, n *node.Node) (id, dir string) {
	t.Helper()
	dir = t.TempDir()
	return run(t, n, pane.Spec{Cwd: dir}, "echo ready; cat", "ready"), dir
}

func plant(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderAndAFileOfAPaneAreShownMasked(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := workspace(t, n)
	plant(t, filepath.Join(dir, "src", "main.go"), "one\r\n// "+token+"\n\x1b[31m\n")
	plant(t, filepath.Join(dir, token), "")
	plant(t, filepath.Join(dir, "a\u202eb"), "")
	found, err := n.Local().Files(t.Context(), id, api.FilesAt{})
	if err != nil {
		t.Fatal(err)
	}
	entries := found.Folder.Entries
	if len(entries) != 3 || entries[0].Name != "src" || entries[0].Kind != "folder" || !entries[0].Opens ||
		entries[1].Name != "a\uFFFDb" || entries[1].Opens || !strings.HasPrefix(entries[2].Name, "ghp_••") || entries[2].Opens {
		t.Errorf("entries %+v", entries)
	}
	found, err = n.Local().Files(t.Context(), id, api.FilesAt{Path: "src/main.go"})
	if err != nil {
		t.Fatal(err)
	}
	want := "one\n// ghp_" + strings.Repeat("•", len(token)-4) + "\n\uFFFD[31m\n"
	if file := found.File; file.Text != want || !file.Masked || file.Next != 0 {
		t.Errorf("file %+v, want the text %q", file, want)
	}
	for path, refusal := range map[string]*api.Error{
		"nothing": api.ErrFileNotFound, "../x": api.ErrBadRequest, ".git/config": api.ErrFileNotShown, "src/identity.pem": api.ErrFileNotShown,
	} {
		_, err := n.Local().Files(t.Context(), id, api.FilesAt{Path: path})
		refused(t, path, err, refusal)
	}
	_, err = n.Local().Files(t.Context(), "nobody", api.FilesAt{})
	refused(t, "no such pane", err, api.ErrPaneNotFound)
}

// A key whose first line is on one page and whose last is on the next one is
// masked on both.
func TestAFileIsPagedAndASecretAcrossPagesIsMasked(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := workspace(t, n)
	body := strings.Repeat("MIIEowIBAAKCAQEAxk9mB3nQ"+"\n", 40)
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + body + "-----END RSA PRIVATE KEY-----\n"
	line := "0123456789abcde\n"
	plant(t, filepath.Join(dir, "long"), strings.Repeat(line, (api.FilePageBytes-500)/len(line))+key+strings.Repeat("ü", api.FilePageBytes))
	var text strings.Builder
	pages := 0
	for from := 0; ; pages++ {
		found, err := n.Local().Files(t.Context(), id, api.FilesAt{Path: "long", From: from})
		if err != nil {
			t.Fatal(err)
		}
		if before := found.File.Above; !strings.HasSuffix(text.String(), before) || from > 0 && text.String()[from-1] == '\n' && len(before) < api.FileAboveBytes/2 {
			t.Errorf("page at %d: %d bytes go before it", from, len(before))
		}
		if len(found.File.Text) > api.FilePageBytes || found.File.From != from {
			t.Errorf("page at %d: %d bytes from %d", from, len(found.File.Text), found.File.From)
		}
		text.WriteString(found.File.Text)
		if from = found.File.Next; from == 0 {
			break
		}
	}
	if pages < 3 || strings.Contains(text.String(), "MIIE") || strings.Count(text.String(), line) != (api.FilePageBytes-500)/len(line) ||
		strings.Count(text.String(), "ü") != api.FilePageBytes {
		t.Errorf("%d pages, %d bytes; the key is shown: %v", pages, text.Len(), strings.Contains(text.String(), "MIIE"))
	}
	_, err := n.Local().Files(t.Context(), id, api.FilesAt{Path: "long", From: 1 << 30})
	refused(t, "a page behind the end", err, api.ErrFileChanged)
	_, err = n.Local().Files(t.Context(), id, api.FilesAt{Path: "long", From: text.Len() - 1})
	refused(t, "a page that begins in a character", err, api.ErrBadRequest)
}

func TestBrowseListsFoldersBelowHomeAndNoneOfCollie(t *testing.T) {
	t.Parallel()
	n := open(t)
	home := filepath.Dir(filepath.Dir(filepath.Dir(n.Folder.Dir()))) // of ~/.local/state/collie
	for _, name := range []string{"code/app", token} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found, err := n.Local().Folders(t.Context(), api.FoldersAt{})
	if err != nil || strings.Join(found.Folders, " ") != "code" || found.Home != home {
		t.Errorf("%+v, %v", found, err)
	}
	found, err = n.Local().Folders(t.Context(), api.FoldersAt{Path: ".local/state"})
	if err != nil || len(found.Folders) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = n.Local().Folders(t.Context(), api.FoldersAt{Path: ".local/state/collie"})
	refused(t, "Collie's own folder", err, api.ErrFileNotShown)
}
