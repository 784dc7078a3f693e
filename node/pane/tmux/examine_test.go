package tmux_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/pane"
	"collie/node/pane/tmux"
)

func TestATmuxThatIsTooOldOrMissingIsRefused(t *testing.T) { // it changes PATH
	for says, want := range map[string]error{
		"echo tmux 3.2a": tmux.ErrVersion, "printf 'screen\\033[2J'": tmux.ErrVersion, "": tmux.ErrMissing,
	} {
		folder := t.TempDir()
		t.Setenv("PATH", folder)
		if says != "" {
			must(t, os.WriteFile(filepath.Join(folder, "tmux"), []byte("#!/bin/sh\n"+says+"\n"), 0o700))
		}
		_, opened := tmux.Open(t.Context(), tmux.Config{})
		_, examined := tmux.Examine(t.Context(), "", nil)
		for _, err := range []error{opened, examined} {
			if !errors.Is(err, want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q: %v, want %v", says, err, want)
			}
		}
	}
}

func TestAServerIsAskedWhetherItAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	examine := func() error {
		version, err := tmux.Examine(t.Context(), p.socket, p.environ)
		if version == "" || !strings.Contains(p.run(t, "-V"), version) {
			t.Errorf("the version is %q", version)
		}
		return err
	}
	m := p.open(t)
	for name, err := range map[string]error{"from outside": examine(), "over the connection": m.Ask(t.Context())} {
		if !errors.Is(err, tmux.ErrNoServer) {
			t.Errorf("%s: %v, want that there is no server", name, err)
		}
	}
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	for name, err := range map[string]error{"from outside": examine(), "over the connection": m.Ask(t.Context())} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.hang(t)
	for name, err := range map[string]error{"from outside": examine(), "over the connection": m.Ask(t.Context())} {
		if err == nil || errors.Is(err, tmux.ErrNoServer) || !strings.Contains(err.Error(), "does not answer on "+p.socket) {
			t.Errorf("%s: %v, want that it does not answer", name, err)
		}
	}
}
