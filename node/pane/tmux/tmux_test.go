package tmux_test

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"collie/crypto/need"
	"collie/node/pane"
	"collie/node/pane/conformance"
	"collie/node/pane/origin"
	"collie/node/pane/tmux"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A place is where a tmux server of its own may be.
type place struct {
	socket  string
	environ []string
}

func newPlace(t testing.TB) place {
	t.Helper()
	need.Program(t, "tmux")
	folder, err := os.MkdirTemp("", "tmux") // short: a socket's path has a bound
	must(t, err)
	home := filepath.Join(folder, "home")
	must(t, os.Mkdir(home, 0o700))
	p := place{filepath.Join(folder, "s"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SHELL=/bin/sh", "PS1=$ ", "COLLIE_SECRET=x"}}
	t.Cleanup(func() {
		_, _ = p.try("kill-server")
		must(t, os.RemoveAll(folder))
	})
	return p
}

// try runs tmux on the server of the place, as a person at the desk would.
func (p place) try(arguments ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", p.socket}, arguments...)...)
	cmd.Env = append(p.environ, "TERM=xterm")
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func (p place) run(t testing.TB, arguments ...string) string {
	t.Helper()
	out, err := p.try(arguments...)
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", arguments, err, out)
	}
	return out
}

func (p place) open(t testing.TB) *tmux.Mux {
	t.Helper()
	return p.openOf(t, 0)
}

// openOf opens a multiplexer of at most so many panes.
func (p place) openOf(t testing.TB, panes int) *tmux.Mux {
	t.Helper()
	m, err := tmux.Open(t.Context(), tmux.Config{
		MaxPanes: panes, Socket: p.socket, ControlSocket: "/nowhere", Environ: p.environ, Origin: origin.Origin{Taken: true, Umask: 0o022},
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	must(t, err)
	t.Cleanup(func() { must(t, m.Detach()) })
	return m
}

func TestTmuxConforms(t *testing.T) {
	conformance.Run(t, func(t testing.TB) conformance.Open {
		p := newPlace(t)
		return func(t testing.TB) pane.Multiplexer { return p.open(t) }
	})
}

func TestManyPanesAtOnceLeaveNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "desk", "-c", "/", "cat") // tmux ends with its last session
	m := p.open(t)
	until(t, m, "the desk", func(l []pane.Info) bool { return len(l) == 1 })
	conformance.Storm(t, m)
	if said := p.run(t, "list-panes", "-a", "-F", "#{session_name}"); strings.Trim(said, "desk\n") != "" {
		t.Errorf("tmux still has %q", said)
	}
}

func TestPanesThatOpenAtOnceInANewFolderShareItsSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "desk", "-c", "/", "cat")
	m := p.open(t)
	until(t, m, "the desk", func(l []pane.Info) bool { return len(l) == 1 })
	folder := t.TempDir()
	var opening sync.WaitGroup
	for range 6 {
		opening.Go(func() {
			if _, err := m.New(t.Context(), pane.Spec{Cwd: folder, Command: []string{"cat"}}); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	workspaces := map[string]int{}
	for _, info := range m.List() {
		workspaces[info.Workspace]++
	}
	if len(workspaces) != 2 || len(m.List()) != 7 {
		t.Errorf("workspaces hold %v", workspaces)
	}
}

func TestEndedPanesOfTheNodeGiveWayToNewOnesTheOldestFirst(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "desk", "-c", "/", "cat")
	p.run(t, "set-option", "-g", "remain-on-exit", "on")
	p.run(t, "new-window", "-d", "-t", "desk", "true") // somebody else's, and theirs to close
	m := p.openOf(t, 5)
	until(t, m, "the desk", func(l []pane.Info) bool { return len(l) == 2 })
	ended := func() pane.ID {
		t.Helper()
		info, err := m.New(t.Context(), pane.Spec{Cwd: "/", Command: []string{"true"}})
		must(t, err)
		until(t, m, "its end", func([]pane.Info) bool { got, err := m.Get(info.ID); return err == nil && got.Exited != nil })
		return info.ID
	}
	first, second := ended(), ended()
	for _, gone := range []pane.ID{"", first, second} {
		_, err := m.New(t.Context(), pane.Spec{Cwd: "/", Command: []string{"cat"}})
		must(t, err)
		if _, err := m.Get(gone); gone != "" && !errors.Is(err, pane.ErrNotFound) {
			t.Errorf("pane %s: %v, want that it gave way", gone, err)
		}
	}
	if _, err := m.New(t.Context(), pane.Spec{Cwd: "/", Command: []string{"cat"}}); !errors.Is(err, pane.ErrTooMany) {
		t.Errorf("a pane too many: %v", err)
	}
}

func BenchmarkFlood(b *testing.B) { conformance.BenchmarkFlood(b, newPlace(b).open(b)) }
