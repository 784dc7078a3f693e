package terminal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
			const cols, rows = 20, 6
			wantText, wantCursor := tmux.show(t, cols, rows, stream.input)
			s := screenOf(cols, rows, stream.input)
			if got := plainText(s); got != wantText {
				t.Errorf("screen:\n%s\ntmux:\n%s", got, wantText)
			}
			if got := fmt.Sprintf("%d,%d", s.Cursor().Col, s.Cursor().Row); got != wantCursor {
				t.Errorf("cursor at %s, in tmux at %s", got, wantCursor)
			}
		})
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
type tmuxServer struct{ socket string }

func startTmux(t *testing.T) tmuxServer {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("tmux is not installed, and CI must not skip this test")
		}
		t.Skip("tmux is not installed: screens are not compared with it")
	}
	server := tmuxServer{socket: filepath.Join(t.TempDir(), "tmux")}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		server.command(ctx, "kill-server").Run() //nolint:errcheck // it may be gone already
	})
	server.run(t, "new-session", "-d", "-s", "keep", "sleep 1000")
	return server
}

func (server tmuxServer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", server.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TMUX=")
	return cmd
}

func (server tmuxServer) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	out, err := server.command(ctx, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// show returns text and cursor of a tmux pane after the input. The pane asks
// for the cursor behind the input, and the answer says that tmux has read it
// all.
func (server tmuxServer) show(t *testing.T, cols, rows int, input string) (text, cursor string) {
	t.Helper()
	dir := t.TempDir()
	file, script := filepath.Join(dir, "input"), filepath.Join(dir, "script")
	if err := os.WriteFile(file, []byte(input+"\x1b[6n"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := strings.NewReplacer(".", "-", ":", "-").Replace(filepath.Base(filepath.Dir(dir)))
	text = fmt.Sprintf("stty raw -echo; cat '%s'; head -c 1 >/dev/null; tmux -S '%s' wait-for -S '%s'; exec sleep 1000",
		file, server.socket, name)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	target := "=" + name + ":"
	server.run(t, "new-session", "-d", "-s", name, "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "sh "+script,
		";", "set-option", "-s", "default-terminal", "xterm-256color", ";", "set-option", "-t", target, "status", "off",
		";", "resize-window", "-t", target, "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows))
	server.run(t, "wait-for", name)
	text = server.run(t, "capture-pane", "-p", "-t", target)
	var x, y int
	if _, err := fmt.Sscan(server.run(t, "display-message", "-p", "-t", target, "#{cursor_x} #{cursor_y}"), &x, &y); err != nil {
		t.Fatal(err)
	}
	// Behind a full row tmux counts one column more.
	return text, fmt.Sprintf("%d,%d", min(x, cols-1), y)
}
