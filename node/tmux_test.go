package node_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/crypto/need"
	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// A tmuxServer is a tmux that Collie has nothing to do with. It ends with the test.
type tmuxServer struct {
	t      *testing.T
	socket string
}

func openTmux(t *testing.T) tmuxServer {
	t.Helper()
	need.Program(t, "tmux")
	folder, err := os.MkdirTemp("", "tmux") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", socket, "kill-server").Run()
		_ = os.RemoveAll(folder)
	})
	return tmuxServer{t, socket}
}

func (s tmuxServer) command(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", s.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// shows waits for a text on the screen of a pane.
func (s tmuxServer) shows(id, text string) {
	s.t.Helper()
	eventually(s.t, text, func() bool { return strings.Contains(s.command("capture-pane", "-p", "-t", id), text) })
}

// node opens a node on the panes of this tmux.
func (s tmuxServer) node() *node.Node {
	return open(s.t, "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+s.socket)
}

// Wide characters wrap with a gap, and a narrow pane wraps a prompt: what was
// typed is found all the same, in tmux too.
func TestWrappedWideTextIsSubmittedOnceInTmux(t *testing.T) {
	t.Parallel()
	server := openTmux(t)
	records := map[string]func() string{}
	for i, cols := range []string{"50", "40", "18"} {
		path, read := recorder(t)
		server.command("new-session", "-d", "-s", "w"+cols, "-x", cols, "-y", "20", "sh", "-c", lines(path))
		records["%"+string(rune('0'+i))] = read
	}
	n := server.node()
	text := strings.Repeat("漢字テスト", 40)
	for id, read := range records {
		waitFor(t, n, id, "ready>")
		replied, err := submit(t, n, id, text)
		if err != nil || !replied.Submitted {
			t.Errorf("pane %s: %+v, %v", id, replied, err)
		}
		eventually(t, "the line", func() bool { return read() == text+"\n" })
	}
}

// A program may go where it likes; what a phone sees stays below the folder in
// which the workspace began.
func TestAPaneThatGoesElsewhereShowsOnlyItsWorkspaceInTmux(t *testing.T) {
	t.Parallel()
	n := openTmux(t).node()
	above, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plant(t, filepath.Join(above, "outside.txt"), "not below the workspace")
	git(t, above, "init", "-q", "-b", "outside")
	plant(t, filepath.Join(above, "work", "inside.txt"), "below it")
	git(t, filepath.Join(above, "work"), "init", "-q", "-b", "inside")
	id := run(t, n, pane.Spec{Cwd: filepath.Join(above, "work")}, "cd ..; echo gone up; cat", "gone up")
	if err := n.Panes.Rename(t.Context(), pane.ID(id), "seen by tmux"); err != nil { // it has looked at the pane again
		t.Fatal(err)
	}
	_, err = n.Local().Files(t.Context(), id, api.FilesAt{Path: "outside.txt"})
	refused(t, "a file beside the workspace", err, api.ErrFileNotFound)
	found, err := n.Local().Files(t.Context(), id, api.FilesAt{Path: "inside.txt"})
	if err != nil || found.File.Text != "below it" {
		t.Errorf("a file of the workspace: %+v, %v", found, err)
	}
	if changes, err := n.Local().Changes(t.Context(), id, api.ChangesOf{}); err != nil || changes.Branch != "inside" {
		t.Errorf("changes of its repository: %+v, %v", changes, err)
	}
	snapshot, err := n.Local().Snapshot(t.Context())
	if err != nil || len(snapshot.Workspaces) != 1 || snapshot.Workspaces[0].Cwd != filepath.Join(above, "work") {
		t.Errorf("the workspaces are %+v, %v", snapshot.Workspaces, err)
	}
}
