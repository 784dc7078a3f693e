package state_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/state"
)

func TestWhatACutOffWriteLeftGoesAtTheStartAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"walky", "panes", "other", ".d.1.tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	leftovers := []string{".crew.json.123.tmp", "walky/.instances.json.4.tmp", "panes/.x.5.tmp"}
	kept := []string{"crew.json", ".crew.json.tmp", "crew.json.1.tmp", "other/.x.5.tmp"}
	for _, name := range append(leftovers, kept...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("crew.json", filepath.Join(dir, ".link.6.tmp")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	folder, err := state.Open(dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, name := range leftovers {
		if _, err := os.Lstat(folder.Path(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log does not say that %s is removed", name)
		}
	}
	for _, name := range append(kept, ".d.1.tmp", ".link.6.tmp") {
		if _, err := os.Lstat(folder.Path(name)); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}
