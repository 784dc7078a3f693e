package terminal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What tmux shows after the same bytes is what this package must show. Where
// tmux and xterm differ, the package follows xterm and the stream is not here.
func TestScreensEqualThoseOfTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	for _, stream := range tmuxStreams {
		t.Run(stream.name, func(t *testing.T) {
			t.Parallel()
			tmux.compare(t, 20, 6, stream.input)
		})
	}
}

// The recordings are of real programs: bash, less, vim, git and tmux itself.
// Each is compared at several points, since most leave a blank screen.
func TestRecordingsEqualThoseOfTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	for name, recording := range recordings(t) {
		const parts = 4
		for i := range parts {
			t.Run(fmt.Sprintf("%s %d", name, i+1), func(t *testing.T) {
				t.Parallel()
				end := len(recording) * (i + 1) / parts
				if next := strings.IndexByte(recording[end:], esc); next >= 0 {
					end += next // between two sequences
				}
				tmux.compare(t, 80, 24, recording[:end])
			})
		}
	}
}

// recordings returns what programs wrote to terminals of 80 by 24 cells.
func recordings(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/recordings/*.vt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := make(map[string]string)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(data)
	}
	return all
}

func (server *tmuxServer) compare(t *testing.T, cols, rows int, input string) {
	t.Helper()
	wantText, wantCursor := server.show(t, cols, rows, input)
	s := screenOf(cols, rows, input)
	if got := plainText(s); got != wantText {
		t.Errorf("screen:\n%s\ntmux:\n%s", got, wantText)
	}
	if got := fmt.Sprintf("%d,%d", s.Cursor().Col, s.Cursor().Row); got != wantCursor {
		t.Errorf("cursor at %s, in tmux at %s", got, wantCursor)
	}
}

// plainText is the screen as "tmux capture-pane -p" prints it.
func plainText(s *Screen) string {
	var out []string
	for i := range s.rows {
		out = append(out, strings.TrimRight(s.Row(i).Text(), " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// tmuxServer is a tmux of the test's own, on its own socket.
type tmuxServer struct {
	socket   string
	sessions atomic.Int64
}

func startTmux(t *testing.T) *tmuxServer {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("tmux is not installed, and CI must not skip this test")
		}
		t.Skip("tmux is not installed: screens are not compared with it")
	}
	server := &tmuxServer{socket: filepath.Join(t.TempDir(), "tmux")}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.command(ctx, "kill-server").Run(); err != nil {
			t.Errorf("tmux kill-server: %v", err)
		}
	})
	server.run(t, "new-session", "-d", "sleep 1000", ";", "set-option", "-g", "status", "off")
	return server
}

func (server *tmuxServer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", server.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TMUX=", "SHELL=/bin/sh")
	return cmd
}

func (server *tmuxServer) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	out, err := server.command(ctx, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// show returns text and cursor of a tmux pane after the input. The pane asks
// for the cursor behind the input, and the answer says that tmux has read it
// all.
func (server *tmuxServer) show(t *testing.T, cols, rows int, input string) (text, cursor string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, []byte(input+"\x1b[6n"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("pane%d", server.sessions.Add(1))
	program := fmt.Sprintf("stty raw -echo; cat '%s'; head -c 1 >/dev/null; tmux -S '%s' wait-for -S %s; exec sleep 1000",
		file, server.socket, name)
	target := "=" + name + ":"
	out := server.run(t, "new-session", "-d", "-s", name, "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows), program,
		";", "wait-for", name,
		";", "capture-pane", "-p", "-t", target,
		";", "display-message", "-p", "-t", target, "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y}",
		";", "kill-session", "-t", target)
	out = strings.TrimSuffix(out, "\n")
	end := strings.LastIndexByte(out, '\n') + 1
	var width, height, x, y int
	if _, err := fmt.Sscan(out[end:], &width, &height, &x, &y); err != nil || width != cols || height != rows {
		t.Fatalf("tmux says %q: %v", out[end:], err)
	}
	// Behind a full row tmux counts one column more.
	return strings.TrimRight(out[:end], "\n"), fmt.Sprintf("%d,%d", min(x, cols-1), y)
}
