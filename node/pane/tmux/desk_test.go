package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/tmux"
)

const patience = 30 * time.Second

// sitDown attaches a person's own tmux client, in a terminal of this size; what it
// returns stands up again.
func (p place) sitDown(t *testing.T, session string, cols, rows uint16) (resize func(cols, rows uint16), leave func()) {
	t.Helper()
	return p.sitDownWith(t, cols, rows, "attach-session", "-t", session)
}

// sitDownWith is sitDown for a client of another kind.
func (p place) sitDownWith(t *testing.T, cols, rows uint16, arguments ...string) (resize func(cols, rows uint16), leave func()) {
	t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", p.socket}, arguments...)...)
	cmd.Env = append(p.environ, "TERM=xterm")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: cols, Rows: rows})
	must(t, err)
	read := make(chan struct{})
	go func() { defer close(read); _, _ = io.Copy(io.Discard, terminal) }()
	left := false
	leave = func() {
		if left {
			return
		}
		left = true
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		terminal.Close()
		<-read
	}
	t.Cleanup(leave)
	return func(cols, rows uint16) { must(t, pty.Setsize(terminal, &pty.Winsize{Cols: cols, Rows: rows})) }, leave
}

// until waits until the list is as wanted.
func until(t *testing.T, m *tmux.Mux, what string, holds func([]pane.Info) bool) []pane.Info {
	t.Helper()
	changed, stop := m.Changes()
	defer stop()
	timeout := time.After(patience)
	for {
		list := m.List()
		if holds(list) {
			return list
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("never came: %s; trouble %q, the list is %+v", what, m.Trouble(), list)
		}
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

func screenOf(t *testing.T, m *tmux.Mux, id pane.ID, part string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	found := errors.New("found")
	var screen grid.Screen
	text := ""
	err := m.Watch(ctx, id, func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		var lines []string
		for _, row := range screen.Rows() {
			lines = append(lines, row.Text())
		}
		if text = strings.Join(lines, "\n"); strings.Contains(text, part) {
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("pane %s never showed %q: %v\n%s", id, part, err, text)
	}
	return text
}

func TestSessionsOfTheDeskAreThereWithTheirExactNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "säß 漢字", "-n", "fênêtre", "sh -c 'echo at the desk; cat'")
	// A service has no locale, and one that is no UTF-8 made other tools lose names.
	p.environ = append(p.environ, "LC_ALL=C", "LANG=C")
	m := p.open(t)
	list := until(t, m, "the session", func(l []pane.Info) bool { return len(l) == 1 })
	if one := list[0]; one.WorkspaceLabel != "säß 漢字" || one.TabLabel != "fênêtre" || one.ID != "%0" || one.Workspace != "s0" || one.Tab != "@0" {
		t.Errorf("it is %+v", one)
	}
	screenOf(t, m, "%0", "at the desk")
	p.run(t, "split-window", "-d", "-t", "%0", "sh -c 'echo beside; cat'")
	p.run(t, "new-session", "-d", "-s", "another", "sh -c 'echo other; cat'")
	list = until(t, m, "a split and a session", func(l []pane.Info) bool { return len(l) == 3 && l[2].WorkspaceLabel == "another" })
	if list[0].Tab != list[1].Tab || list[0].ID == list[1].ID || list[2].Tab == list[0].Tab {
		t.Errorf("they are %+v", list)
	}
	screenOf(t, m, list[1].ID, "beside")
	screenOf(t, m, list[2].ID, "other")
	p.run(t, "kill-pane", "-t", string(list[1].ID))
	until(t, m, "the end of a pane", func(l []pane.Info) bool { return len(l) == 2 })
}

func TestTheTerminalOfAPersonDecidesOnTheSize(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "-x", "80", "-y", "24", "cat")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	resize, leave := p.sitDown(t, "a", 120, 41) // one row is tmux's own
	has := func(cols, rows int) func([]pane.Info) bool {
		return func(l []pane.Info) bool { return len(l) == 1 && l[0].Cols == cols && l[0].Rows == rows }
	}
	until(t, m, "the person's size", has(120, 40))
	eventually(t, "a phone is refused", func() bool { return errors.Is(m.Resize(t.Context(), "%0", 40, 20), pane.ErrOpen) })
	resize(100, 31)
	until(t, m, "the person's new size", has(100, 30))
	leave()
	eventually(t, "a phone may when the person has gone", func() bool { return m.Resize(t.Context(), "%0", 40, 20) == nil })
	until(t, m, "the phone's size", has(40, 20))
	p.sitDown(t, "a", 90, 26)
	until(t, m, "the size of a person who comes back", has(90, 25))
	if said := p.run(t, "show-options", "-w", "-t", "@0"); strings.Contains(said, "window-size") || strings.Contains(said, "collie") {
		t.Errorf("the window keeps %q", said)
	}
}

func TestAServerThatIsStoppedTakesItsPanesAlongAndTheNextOneIsHeardOf(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	if m.Trouble() == "" || len(m.List()) != 0 {
		t.Errorf("without a server the trouble is %q", m.Trouble())
	}
	var instances []string
	for range 3 {
		p.run(t, "new-session", "-d", "-s", "a", "sh -c 'echo begun; cat'")
		list := until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
		if list[0].ID != "%0" || m.Trouble() != "" {
			t.Errorf("the pane is %+v, the trouble %q", list[0], m.Trouble())
		}
		instances = append(instances, list[0].Instance)
		screenOf(t, m, "%0", "begun")
		gone := make(chan error, 1)
		go func() { gone <- m.Watch(t.Context(), "%0", func(grid.Frame) error { return nil }) }()
		p.run(t, "kill-server")
		until(t, m, "the end of the pane", func(l []pane.Info) bool { return len(l) == 0 })
		if err := <-gone; !errors.Is(err, pane.ErrNotFound) {
			t.Errorf("a watcher hears %v", err)
		}
		if !strings.Contains(m.Trouble(), p.socket) {
			t.Errorf("the trouble is %q", m.Trouble())
		}
	}
	if instances[0] == instances[1] || instances[1] == instances[2] {
		t.Errorf("an id that was given out again has the instances %v", instances)
	}
}

// With this option a tmux of before 3.7 ends at the next session, and takes all
// others along.
func TestNoSessionIsMadeThatWouldEndTheServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	p.run(t, "set-option", "-g", "window-size", "manual")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	_, err := m.New(t.Context(), pane.Spec{Command: []string{"cat"}, Cwd: "/"})
	if old := before(t, m, 3, 7); old && (!errors.Is(err, tmux.ErrManualSize) || !strings.Contains(err.Error(), "set -g window-size latest")) {
		t.Errorf("a new pane: %v", err)
	}
	if said := p.run(t, "list-panes", "-a", "-F", "#{pane_id}"); !strings.HasPrefix(said, "%0") {
		t.Errorf("the server has %q", said)
	}
	p.run(t, "set-option", "-g", "window-size", "latest")
	if _, err := m.New(t.Context(), pane.Spec{Command: []string{"cat"}, Cwd: "/"}); err != nil {
		t.Errorf("after the fix: %v", err)
	}
}

func TestNothingIsTypedThatWouldGoElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	p.run(t, "split-window", "-d", "-t", "%0", "cat")
	m := p.open(t)
	until(t, m, "both panes", func(l []pane.Info) bool { return len(l) == 2 })
	p.run(t, "set-option", "-w", "-t", "a", "synchronize-panes", "on")
	for name, err := range map[string]error{
		"keys": m.Input(t.Context(), "%0", []byte("stray")), "a paste": m.Paste(t.Context(), "%0", "stray"),
	} {
		if !errors.Is(err, pane.ErrRefused) || !strings.Contains(err.Error(), "synchronize-panes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.run(t, "set-option", "-w", "-t", "a", "synchronize-panes", "off")
	p.run(t, "copy-mode", "-t", "%0")
	must(t, m.Input(t.Context(), "%0", []byte("typed\r")))
	if text := screenOf(t, m, "%0", "typed\ntyped"); strings.Contains(text, "stray") {
		t.Errorf("the first shows\n%s", text)
	}
	frame, err := m.Screen(t.Context(), "%1")
	must(t, err)
	if text := frame.Lines[0].Row.Text(); text != "" {
		t.Errorf("the other shows %q", text)
	}
}

func TestWhatTmuxRefusesIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	p.run(t, "new-session", "-d", "-s", "b", "cat")
	m := p.open(t)
	until(t, m, "both", func(l []pane.Info) bool { return len(l) == 2 })
	err := m.RenameWorkspace(t.Context(), "s0", "b")
	if !errors.Is(err, pane.ErrRefused) || !strings.Contains(err.Error(), "duplicate session: b") {
		t.Errorf("a name that is taken: %v", err)
	}
	p.run(t, "select-pane", "-d", "-t", "%0")
	if err := m.Input(t.Context(), "%0", []byte("x")); !errors.Is(err, pane.ErrRefused) {
		t.Errorf("input that is off: %v", err)
	}
}

// Many sessions at once come from a script at the desk. No control client may be
// introducing itself meanwhile: the server would end.
func TestABurstOfSessionsEndsNoServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "first", "cat")
	m := p.open(t)
	for i := range 20 {
		p.run(t, "new-session", "-d", "-s", "s"+string(rune('a'+i)), "cat")
	}
	list := until(t, m, "all of them", func(l []pane.Info) bool { return len(l) == 21 })
	must(t, m.Paste(t.Context(), list[20].ID, "seen"))
	screenOf(t, m, list[20].ID, "seen")
}

func TestTheNodeIsNoPersonAndLeavesTheSessionAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	p.run(t, "set-environment", "-t", "a", "SSH_AUTH_SOCK", "/the/desk")
	p.environ = append(p.environ, "SSH_AUTH_SOCK=/the/node", "DISPLAY=:9")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	if said := p.run(t, "list-clients", "-F", "#{client_flags}"); !strings.Contains(said, "ignore-size") || strings.Contains(said, "\n") {
		t.Errorf("the clients are %q", said)
	}
	if said := p.run(t, "show-environment", "-t", "a", "SSH_AUTH_SOCK"); said != "SSH_AUTH_SOCK=/the/desk" {
		t.Errorf("the session has %q", said)
	}
	must(t, m.Detach())
	eventually(t, "no client is left", func() bool { return p.run(t, "list-clients") == "" })
	if _, err := os.Stat(p.socket); err != nil {
		t.Errorf("the server is gone: %v", err)
	}
}

func TestAServerThatHangsKeepsItsPanesAndSaysSo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	goOn := p.hang(t)
	renamed := make(chan error, 1)
	go func() { renamed <- m.Rename(t.Context(), "%0", "perhaps") }()
	if err := m.Input(t.Context(), "%0", []byte("never typed")); !errors.Is(err, pane.ErrAway) {
		t.Errorf("a key to a server that hangs: %v, want that the pane is away", err)
	}
	if err := <-renamed; !errors.Is(err, pane.ErrOutcomeUnknown) {
		t.Errorf("a name to a server that hangs: %v, want that nobody knows", err)
	}
	if len(m.List()) != 1 {
		t.Error("its panes are gone")
	}
	goOn()
	must(t, m.Input(t.Context(), "%0", []byte("typed\r")))
	if text := screenOf(t, m, "%0", "typed\ntyped"); strings.Contains(text, "never") {
		t.Errorf("it shows\n%s", text)
	}
	until(t, m, "no trouble", func(l []pane.Info) bool { return m.Trouble() == "" && len(l) == 1 && l[0].Label == "perhaps" })
}

// The other ends of a control client's pipes are the server's: while it hangs they
// neither take nor end.
func TestAServerThatHangsHoldsUpNoEndAndTakesNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	p.hang(t)
	// More than the pipe holds.
	var asking sync.WaitGroup
	for range 600 {
		asking.Go(func() {
			if err := m.Rename(t.Context(), "%0", strings.Repeat("x", 120)); !errors.Is(err, pane.ErrOutcomeUnknown) && !errors.Is(err, pane.ErrAway) {
				t.Errorf("a name to a server that hangs: %v", err)
			}
		})
	}
	ended := make(chan struct{})
	go func() { defer close(ended); asking.Wait(); _ = m.Detach() }()
	select {
	case <-ended:
	case <-time.After(2 * patience):
		t.Fatal("it is still held up")
	}
}

// hang stops the server as it stands, until goOn or the end of the test.
func (p place) hang(t *testing.T) (goOn func()) {
	t.Helper()
	pid, err := strconv.Atoi(p.run(t, "display-message", "-p", "#{pid}"))
	must(t, err)
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	goOn = func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	t.Cleanup(goOn)
	return goOn
}

// before says whether the tmux at hand is older than a version.
func before(t *testing.T, m *tmux.Mux, major, minor int) bool {
	t.Helper()
	var is [2]int
	if _, err := fmt.Sscanf(m.Capabilities().Version, "%d.%d", &is[0], &is[1]); err != nil {
		t.Fatal(err)
	}
	return is[0] < major || is[0] == major && is[1] < minor
}
