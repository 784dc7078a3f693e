package node_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// A logged agent is a fake of Claude's input, of which the test keeps the log that
// the real program would.
type logged struct {
	fake
	config, cwd, session string
	turns                int
}

func playLogged(t *testing.T, n *node.Node) *logged {
	t.Helper()
	l := &logged{config: t.TempDir(), cwd: t.TempDir(), session: "11111111-2222-4333-8444-555555555555"}
	l.fake = play(t, n, pane.Spec{Cwd: l.cwd, Env: []string{"CLAUDE_CONFIG_DIR=" + l.config}}, "claude")
	l.began(l.id)
	return l
}

// began says of a pane's process that it goes on with the session.
func (l *logged) began(id string) {
	l.t.Helper()
	info, err := l.node.Panes.Get(pane.ID(id))
	if err != nil {
		l.t.Fatal(err)
	}
	l.write(filepath.Join("sessions", fmt.Sprint(info.PID)+".json"), fmt.Sprintf(`{"pid":%d,"sessionId":"%s"}`, info.PID, l.session))
}

func (l *logged) write(name, line string) {
	l.t.Helper()
	path := filepath.Join(l.config, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(file, line)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// takes logs a turn of a person's, as of now.
func (l *logged) takes(text string) {
	l.t.Helper()
	l.turns++
	line, err := json.Marshal(map[string]any{
		"type": "user", "uuid": fmt.Sprint(l.turns), "timestamp": time.Now().UTC(), "message": map[string]any{"role": "user", "content": text},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	folder := strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(l.cwd)
	l.write(filepath.Join("projects", folder, l.session+".jsonl"), string(line))
}

// marks are those of a pane's turns, the oldest first.
func (l *logged) marks(n *node.Node, id string) (all []string) {
	l.t.Helper()
	chat, err := n.Local().Chat(l.t.Context(), id, "", 50)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, turn := range chat.Turns {
		all = append([]string{strings.TrimSpace(turn.Text + ": " + turn.Trust + " " + turn.Mark)}, all...)
	}
	return all
}

// sends sends a reply from a phone, and waits until one that is not submitted is
// seen.
func (l *logged) sends(reply api.Reply, submitted bool) {
	l.t.Helper()
	reply.Screen = l.seen()
	replied, err := l.node.Local().Reply(asPixel(l.t), l.id, reply)
	if err != nil || replied.Submitted != submitted {
		l.t.Fatalf("the reply %+v is %+v, %v", reply, replied, err)
	}
	if !submitted {
		waitFor(l.t, l.node, l.id, reply.Text)
	}
}

func TestWhatAPhoneSentHasItsMarkInTheChatAndWhatSomebodyTypedHasNone(t *testing.T) {
	t.Parallel()
	n := open(t)
	l := playLogged(t, n)
	l.takes("by hand")
	l.sends(api.Reply{Text: "go on", Submit: true}, true)
	l.takes("go on")
	l.takes("go on") // and again by hand
	l.sends(api.Reply{Text: "in two"}, false)
	l.sends(api.Reply{Text: " pieces", Submit: true}, true)
	l.takes("in two pieces")
	l.sends(api.Reply{Text: "and later"}, false)
	l.sends(api.Reply{Submit: true}, true)
	l.takes("and later")
	if _, err := submit(t, n, l.id, "from a script"); err != nil {
		t.Fatal(err)
	}
	l.takes("from a script")
	l.sends(api.Reply{Text: "half"}, false)
	if err := n.Local().Keys(asPixel(t), l.id, api.Keys{Keys: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, l.id, "halfx")
	l.sends(api.Reply{Text: "way", Submit: true}, true)
	l.takes("halfxway")
	const pixel = ": operator ‹phone:pixel›"
	want := []string{"by hand:", "go on" + pixel, "go on:", "in two pieces" + pixel, "and later" + pixel, "from a script:", "halfxway:"}
	for range 2 {
		if got := l.marks(n, l.id); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("the turns are %q, want %q", got, want)
		}
	}
	// The session goes on in another pane, and the notes outlive the node.
	other := play(t, n, pane.Spec{Cwd: l.cwd, Env: []string{"CLAUDE_CONFIG_DIR=" + l.config}}, "claude")
	l.began(other.id)
	if got := l.marks(n, other.id); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("in another pane they are %q", got)
	}
	file := n.Folder.Path("phoned.json")
	data, err := os.ReadFile(file)
	if info, errInfo := os.Stat(file); err != nil || errInfo != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(data), "pieces") {
		t.Errorf("the file is %s, %v", data, err)
	}
}

func TestNothingIsNotedOfALineOfAShell(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, lines(filepath.Join(t.TempDir(), "record")), "ready>")
	if _, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "hunter2", Submit: true, Screen: screenNow(t, n, id)}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(n.Folder.Path("phoned.json")); !os.IsNotExist(err) {
		t.Errorf("the file of notes is there: %v", err)
	}
}
