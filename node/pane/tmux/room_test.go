package tmux_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"collie/node/pane"
)

// sessions makes a server with so many sessions, of at most so many open files.
func (p place) sessions(t *testing.T, count, files int) {
	t.Helper()
	arguments := []string{"-u", "-f", "/dev/null", "-S", p.socket}
	for i := range count {
		if i > 0 {
			arguments = append(arguments, ";")
		}
		arguments = append(arguments, "new-session", "-d", "-s", fmt.Sprint("s", i), "-c", "/", fmt.Sprintf("echo here is %d; cat", i))
	}
	cmd := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -S -n %d; exec tmux "$@"`, files), "sh"}, arguments...)...)
	cmd.Env = append(p.environ, "TERM=xterm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestEverySessionOfManyIsFollowed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.sessions(t, 80, 1024)
	m := p.open(t)
	list := until(t, m, "every pane", func(l []pane.Info) bool { return len(l) == 80 })
	for i, info := range list {
		screenOf(t, m, info.ID, fmt.Sprint("here is ", i))
	}
	last := list[79].ID
	must(t, m.Input(t.Context(), last, []byte("typed\r")))
	screenOf(t, m, last, "typed\ntyped")
}

// The files that a tmux may open are for its person first.
func TestSessionsThatTmuxHasNoFilesForAreAwayAndLeaveItRoom(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.sessions(t, 20, 256)
	m := p.open(t)
	list := until(t, m, "every pane", func(l []pane.Info) bool { return len(l) == 20 })
	var seen, away []pane.ID
	for _, info := range list {
		_, err := m.Screen(t.Context(), info.ID)
		switch {
		case err == nil:
			seen = append(seen, info.ID)
		case errors.Is(err, pane.ErrAway) && strings.Contains(err.Error(), "ulimit"):
			away = append(away, info.ID)
		default:
			t.Errorf("pane %s: %v", info.ID, err)
		}
	}
	if len(seen) == 0 || len(away) == 0 {
		t.Fatalf("%d are followed and %d are not", len(seen), len(away))
	}
	if err := m.Input(t.Context(), away[0], []byte("x")); !errors.Is(err, pane.ErrAway) {
		t.Errorf("input to one that is away: %v", err)
	}
	if _, err := m.New(t.Context(), pane.Spec{Cwd: t.TempDir(), Command: []string{"cat"}}); !errors.Is(err, pane.ErrTooMany) {
		t.Errorf("a new session: %v", err)
	}
	p.run(t, "new-session", "-d", "-s", "mine", "cat") // the person has room
	for _, id := range seen[1:] {                      // one that is followed goes, and makes room
		_ = m.Close(t.Context(), id)
	}
	eventually(t, "another one is followed", func() bool { _, err := m.Screen(t.Context(), away[0]); return err == nil })
}
