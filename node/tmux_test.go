package node_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/api"
)

// Wide characters wrap with a gap, and a narrow pane wraps a prompt: what was
// typed is found all the same, in tmux too.
func TestWrappedWideTextIsSubmittedOnceInTmux(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no tmux")
	}
	folder, err := os.MkdirTemp("", "tmux")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-u", "-S", socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", socket, "kill-server").Run()
		_ = os.RemoveAll(folder)
	})
	records := map[string]func() string{}
	for i, cols := range []string{"50", "40", "18"} {
		path, read := recorder(t)
		tmux("new-session", "-d", "-s", "w"+cols, "-x", cols, "-y", "20", "sh", "-c", lines(path))
		records["%"+string(rune('0'+i))] = read
	}
	n := open(t, "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+socket)
	text := strings.Repeat("漢字テスト", 40)
	for id, read := range records {
		waitFor(t, n, id, "ready>")
		replied, err := n.Local().Reply(t.Context(), id, api.Reply{Text: text, Submit: true})
		if err != nil || !replied.Submitted {
			t.Errorf("pane %s: %+v, %v", id, replied, err)
		}
		eventually(t, "the line", func() bool { return read() == text+"\n" })
	}
}
