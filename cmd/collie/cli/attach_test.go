package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A desk is a person's terminal in which a command runs.
type desk struct {
	terminal *os.File // the person's side
	program  *os.File // the side of the command
	before   unix.Termios
	command  *exec.Cmd

	mu    sync.Mutex
	shown bytes.Buffer
	ended chan error
}

func (m *machine) attach(t *testing.T, cols, rows uint16, args ...string) *desk {
	t.Helper()
	return m.desk(t, cols, rows, append([]string{"pane", "attach"}, args...)...)
}

func (m *machine) desk(t *testing.T, cols, rows uint16, args ...string) *desk {
	t.Helper()
	d := &desk{ended: make(chan error, 1)}
	var err error
	if d.terminal, d.program, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	d.resize(t, cols, rows)
	d.before = d.termios(t)
	d.command = exec.Command("collie", args...)
	d.command.Env, d.command.Stdin, d.command.Stdout, d.command.Stderr = m.environ, d.program, d.program, d.program
	d.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(d, d.terminal)
	}()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		d.ended <- d.command.Wait()
	}()
	t.Cleanup(func() {
		_ = d.command.Process.Kill()
		<-waited
		d.program.Close()
		<-read // the last end of the other side makes it EIO
		d.terminal.Close()
	})
	return d
}

func (d *desk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.Write(p)
}

func (d *desk) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.String()
}

func (d *desk) resize(t *testing.T, cols, rows uint16) {
	t.Helper()
	if err := pty.Setsize(d.terminal, &pty.Winsize{Cols: cols, Rows: rows}); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) termios(t *testing.T) unix.Termios {
	t.Helper()
	modes, err := unix.IoctlGetTermios(int(d.program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *modes
}

func (d *desk) typed(t *testing.T, text string) {
	t.Helper()
	if _, err := d.terminal.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) shows(t *testing.T, text string) {
	t.Helper()
	eventually(t, "on the terminal: "+text, func() bool { return strings.Contains(d.text(), text) })
}

// ends waits for the end of the command.
func (d *desk) ends(t *testing.T, code int) {
	t.Helper()
	err := <-d.ended
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := d.command.ProcessState.ExitCode(); got != code {
		t.Errorf("it ended with %d, want %d:\n%q", got, code, d.text())
	}
}

// leaves waits for the end of collie pane attach, and wants the terminal as it was.
func (d *desk) leaves(t *testing.T, code int) {
	t.Helper()
	d.ends(t, code)
	if d.termios(t) != d.before {
		t.Error("the terminal's modes are not what they were")
	}
	d.shows(t, "\x1b[?1049l") // the last of what gives the terminal back
}

// sizeOf returns the size of a pane.
func (m *machine) sizeOf(t *testing.T, id string) [2]float64 {
	t.Helper()
	screen := m.must(t, "pane", "show", id)
	return [2]float64{at[float64](t, screen, "cols"), at[float64](t, screen, "rows")}
}

func TestAnAttachedTerminalHasThePaneInItsOwnSizeUntilTheDetachKeys(t *testing.T) {
	t.Parallel()
	m := begin(t)
	id := at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", `trap 'stty size' WINCH; echo begun; while :; do if read line; then echo "got <$line>"; fi; done`), "id")
	d := m.attach(t, 101, 31, id)
	d.shows(t, "begun")
	eventually(t, "the size of the terminal", func() bool { return m.sizeOf(t, id) == [2]float64{101, 31} })
	d.typed(t, "hällo\r")
	d.shows(t, "got <hällo>")
	d.resize(t, 70, 20)
	eventually(t, "the new size", func() bool { return m.sizeOf(t, id) == [2]float64{70, 20} })
	d.shows(t, "20 70")
	d.typed(t, "x\x1c\x1c") // Ctrl+\ twice
	d.leaves(t, exitDone)
	d.shows(t, "detached from "+id)
	if got := m.sizeOf(t, id); got != [2]float64{70, 20} {
		t.Errorf("after the terminal has gone the pane has %v", got)
	}
}

func TestAnAttachedTerminalIsGivenBackHoweverItEnds(t *testing.T) {
	t.Parallel()
	m := begin(t)
	open := func(script string) string {
		return at[string](t, m.must(t, "pane", "new", "--", "sh", "-c", script), "id")
	}
	program := m.attach(t, 80, 24, open("echo begun; read line; exit 7"))
	program.shows(t, "begun")
	program.typed(t, "\r")
	program.leaves(t, exitDone)
	program.shows(t, "ended with exit code 7")

	stays := open("echo begun; sleep 1000")
	told := m.attach(t, 80, 24, stays, "--detach-keys", "Ctrl+P,Ctrl+Q")
	told.shows(t, "begun")
	if err := told.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	told.leaves(t, exitDone)

	keys := m.attach(t, 80, 24, stays, "--detach-keys", "Ctrl+P,Ctrl+Q")
	keys.shows(t, "begun")
	keys.typed(t, "\x10\x11")
	keys.leaves(t, exitDone)

	stopped := m.attach(t, 80, 24, stays)
	stopped.shows(t, "begun")
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	stopped.leaves(t, exitUnreachable)
}

func TestAttachWithoutATerminalOrWithoutThePaneChangesNothing(t *testing.T) {
	t.Parallel()
	m := begin(t)
	if _, stderr, code := m.run(t, "", "pane", "attach", "p1"); code != exitUsage || !strings.Contains(stderr, "needs a terminal") {
		t.Errorf("without a terminal: %d %q", code, stderr)
	}
	d := m.attach(t, 80, 24, "p1")
	if err := <-d.ended; d.command.ProcessState.ExitCode() != exitFailed {
		t.Errorf("a pane that is not there: %v", err)
	}
	d.shows(t, "no such pane")
	if text := d.text(); strings.Contains(text, "\x1b") {
		t.Errorf("it wrote %q", text)
	}
}

func TestAnAttachedTerminalWithoutASizeShowsThePaneInThePanesOwn(t *testing.T) {
	t.Parallel()
	m := begin(t)
	id := at[string](t, m.must(t, "pane", "new", "--cols", "90", "--rows", "25", "--", "sh", "-c", "echo begun; cat"), "id")
	d := m.attach(t, 0, 0, id)
	d.shows(t, "begun")
	if got := m.sizeOf(t, id); got != [2]float64{90, 25} {
		t.Errorf("the pane is %v", got)
	}
	d.typed(t, "\x1c\x1c")
	d.leaves(t, exitDone)
}
