package terminal

import (
	"bytes"
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

	"collie/crypto/need"
)

// A tmuxServer is a tmux of the test's own, on its own socket.
type tmuxServer struct {
	socket   string
	sessions atomic.Int64
}

func startTmux(t testing.TB) *tmuxServer {
	t.Helper()
	need.Program(t, "tmux")
	server := &tmuxServer{socket: filepath.Join(t.TempDir(), "tmux")}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.command(ctx, "kill-server").Run(); err != nil {
			t.Errorf("tmux kill-server: %v", err)
		}
	})
	server.run(t, "new-session", "-d", "sleep 1000",
		";", "set-option", "-g", "status", "off",
		";", "set-option", "-g", "history-limit", "1000")
	return server
}

func (server *tmuxServer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", server.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TMUX=", "SHELL=/bin/sh")
	return cmd
}

func (server *tmuxServer) run(t testing.TB, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second) // cleanups run it too
	defer cancel()
	out, err := server.command(ctx, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// A tmuxPane is a terminal of tmux that shows what the test writes to it.
type tmuxPane struct {
	server     *tmuxServer
	target     string
	cols, rows int
	input      *os.File // to the pane
	replies    *os.File // from the pane
}

// pane opens a pane of the given size.
func (server *tmuxServer) pane(t testing.TB, cols, rows int) *tmuxPane {
	t.Helper()
	name := fmt.Sprintf("pane%d", server.sessions.Add(1))
	folder := t.TempDir()
	pipe := func(name string) (string, *os.File) {
		path := filepath.Join(folder, name)
		if out, err := exec.CommandContext(t.Context(), "mkfifo", path).CombinedOutput(); err != nil {
			t.Fatalf("mkfifo: %v: %s", err, out)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return path, file
	}
	p := &tmuxPane{server: server, target: "=" + name + ":", cols: cols, rows: rows}
	var inputPath, repliesPath string
	inputPath, p.input = pipe("input")
	repliesPath, p.replies = pipe("replies")
	server.run(t, "new-session", "-d", "-s", name, "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows),
		fmt.Sprintf("stty raw -echo; cat '%s' & exec cat >'%s'", inputPath, repliesPath))
	t.Cleanup(func() { // or the server would wait for the pane's programs
		server.run(t, "kill-session", "-t", p.target)
	})
	return p
}

const (
	// tmuxBlank makes a pane as it was at first. A reset keeps saved titles.
	tmuxBlank = tmuxTitle + tmuxTitle + tmuxTitle + tmuxTitle + "\x1b[?1049l\x1bc\x1b[?7h\x1b]2;\x1b\\\x1b[3J"
	tmuxTitle = "\x1b[23;0t\x1b[23;0t\x1b[23;0t\x1b[23;0t"
	// tmuxRead asks what only tmux answers so, and the answer says that it has
	// read all that came before.
	tmuxRead, tmuxAnswer = "\x1b[>q", ">|tmux "
)

// write shows input in the pane and returns once tmux has read it.
func (p *tmuxPane) write(t testing.TB, input string) {
	t.Helper()
	wanted := 1 + strings.Count(input, tmuxRead) + strings.Count(input, "\x1b[>0q")
	deadline := time.Now().Add(60 * time.Second)
	if err := p.input.SetDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	if err := p.replies.SetDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	if _, err := p.input.WriteString(input + tmuxRead); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for buffer := make([]byte, 4096); bytes.Count(got, []byte(tmuxAnswer)) < wanted; {
		n, err := p.replies.Read(buffer)
		if err != nil {
			t.Fatalf("tmux answered %q: %v", got, err)
		}
		got = append(got, buffer[:n]...)
	}
}

// blank makes the pane as it was at first.
func (p *tmuxPane) blank(t testing.TB) {
	t.Helper()
	p.write(t, tmuxBlank)
	p.server.run(t, "clear-history", "-t", p.target)
}

// resize gives the pane another size.
func (p *tmuxPane) resize(t testing.TB, cols, rows int) {
	t.Helper()
	p.cols, p.rows = cols, rows
	p.server.run(t, "resize-window", "-t", p.target, "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows))
}

// A picture is what can be seen of a terminal, in the words of this test.
type picture struct {
	rows   []string // text with styles
	wraps  []bool   // which rows go on in the next
	cursor string
	title  string
}

// picture returns what the pane shows.
func (p *tmuxPane) picture(t testing.TB) picture {
	t.Helper()
	out := p.server.run(t,
		"display-message", "-p", "-t", p.target, "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{pane_title}",
		";", "capture-pane", "-p", "-e", "-N", "-t", p.target,
		";", "display-message", "-p", "joined",
		";", "capture-pane", "-p", "-e", "-J", "-t", p.target)
	head, out, _ := strings.Cut(out, "\n")
	var width, height, x, y int
	if _, err := fmt.Sscan(head, &width, &height, &x, &y); err != nil || width != p.cols || height != p.rows {
		t.Fatalf("tmux says %q: %v", head, err)
	}
	screen, joined, _ := strings.Cut(out, "joined\n")
	title := strings.SplitN(head, " ", 5)[4]
	rows := tmuxRows(t, screen)
	// Behind a full row tmux counts one column more.
	return picture{
		rows:   trimmed(rows),
		wraps:  wrapsOf(plainRows(rows), plainRows(tmuxRows(t, joined))),
		cursor: fmt.Sprintf("%d,%d", min(x, width-1), y),
		title:  title,
	}
}
