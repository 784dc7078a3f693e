package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"collie/crypto/need"
)

// Tmux is a real tmux of the test's own.
type Tmux struct {
	t      testing.TB
	socket string
}

// StartTmux starts a tmux that runs to the end of the test.
func StartTmux(t testing.TB) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		need.Missing(t, "tmux")
	}
	dir, err := os.MkdirTemp("", "tmux-") // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	m := &Tmux{t: t, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = m.command("kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	m.run("new-session", "-d", "sleep 100000", ";", "set-option", "-g", "status", "off") // without a session it would end
	return m
}

func (m *Tmux) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", m.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TMUX=", "SHELL=/bin/sh")
	return cmd
}

func (m *Tmux) run(args ...string) string {
	m.t.Helper()
	output, err := m.command(args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, output)
	}
	return string(output)
}

// Rows returns what tmux shows in a pane of the given size after a program's
// output, without blanks at the end of rows.
func (m *Tmux) Rows(cols, rows int, output []byte) []string {
	m.t.Helper()
	const read = "all was read" // a title, which tmux takes up after what came before
	file := filepath.Join(filepath.Dir(m.socket), "output")
	if err := os.WriteFile(file, append(output[:len(output):len(output)], "\x1b]2;"+read+"\x1b\\"...), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.run("new-session", "-d", "-s", "shown", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows),
		"stty raw -echo; cat '"+file+"'; exec sleep 1000")
	Eventually(m.t, "tmux reads the output", func() bool {
		return strings.TrimSpace(m.run("display-message", "-p", "-t", "=shown:", "#{pane_title}")) == read
	})
	captured := m.run("capture-pane", "-p", "-e", "-t", "=shown:", ";", "kill-session", "-t", "=shown")
	var shown []string
	for _, row := range strings.Split(strings.TrimSuffix(captured, "\n"), "\n") {
		shown = append(shown, strings.TrimRight(plain(row), " "))
	}
	return shown
}

var (
	sgr      = regexp.MustCompile("\x1b\\[[0-9;:]*m")
	graphics = regexp.MustCompile("\x0e[^\x0f]*\x0f?")
	drawn    = strings.NewReplacer("\x0e", "", "\x0f", "",
		"`", "◆", "a", "▒", "f", "°", "g", "±", "j", "┘", "k", "┐", "l", "┌", "m", "└", "n", "┼", "q", "─",
		"t", "├", "u", "┤", "v", "┴", "w", "┬", "x", "│", "y", "≤", "z", "≥", "{", "π", "|", "≠", "}", "£", "~", "·")
)

// plain returns a captured row without styles, and its line graphics as they look.
func plain(row string) string {
	return graphics.ReplaceAllStringFunc(sgr.ReplaceAllString(row, ""), drawn.Replace)
}
