package node_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/pane"
)

// TestAnAgentThatRanInTmuxBeforeTheNodeIsAnsweredFromThePhone starts an agent by
// hand, at the desk, in a tmux that Collie has nothing to do with.
func TestAnAgentThatRanInTmuxBeforeTheNodeIsAnsweredFromThePhone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no tmux")
	}
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	path, read := recorder(t)
	tmux("new-session", "-d", "-s", "desk", "-x", "80", "-y", "30", "env PS1='desk> ' /bin/sh -i")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	id := tmux("list-panes", "-a", "-F", "#{pane_id}")
	eventually(t, "the shell", func() bool { return strings.Contains(tmux("capture-pane", "-p", "-t", id), "desk>") })
	command := linkTo(t, "claude") + " _play -record " + path + " -screen " + screenOf("claude-bash") + " -on 3= "
	tmux("send-keys", "-t", id, "-l", command)
	tmux("send-keys", "-t", id, "Enter")
	eventually(t, "the question", func() bool { return strings.Contains(tmux("capture-pane", "-p", "-t", id), "Esc to cancel") })

	n := open(t, "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+socket)
	f := fake{t, n, id, read}
	card := f.card()
	if p := f.now(); p.Harness != "claude" || !strings.Contains(card.Prompt.Subject, "rm -rf build && npm run build") {
		t.Errorf("the pane is %+v", p)
	}
	_, err := submit(n, t, id, "stop")
	refused(t, "a reply", err, api.ErrDialogOpen)
	if err := f.answer(card.ID, "3", false); err != nil {
		t.Fatal(err)
	}
	f.got("3")
	f.until("the shell is back", func(p api.PaneInfo) bool { return p.Harness == "shell" && len(p.Cards) == 0 })
}

func TestALongMessageIsOnePasteForAnAgentThatRanInTmuxBeforeTheNode(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no tmux")
	}
	socket := filepath.Join(t.TempDir(), "tmux")
	path, read := recorder(t)
	start := exec.Command("tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "30", linkTo(t, "claude")+" _play -record "+path)
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	n := open(t, "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+socket)
	var id pane.ID
	eventually(t, "the pane", func() bool {
		for _, info := range n.Panes.List() {
			id = info.ID
		}
		return id != ""
	})
	f := fake{t, n, string(id), read}
	f.until("its input", func(p api.PaneInfo) bool { return p.Harness == "claude" && p.Status == "idle" })
	got, err := submit(n, t, f.id, "one\ntwo\nthree")
	if err != nil || !got.Submitted {
		t.Fatalf("%+v, %v", got, err)
	}
	f.got("\x1b[200~one\rtwo\rthree\x1b[201~\r") // tmux pastes an Enter for each newline
}
