package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
	"collie/node/walky"
)

// fakeClaude is a script with the name, the folders and the log of the real
// program, and nothing else of it: it says what it is told on its terminal.
const fakeClaude = `#!/bin/sh
config=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
project="$config/projects/$(pwd | sed 's/[^a-zA-Z0-9]/-/g')"
session=11111111-2222-4333-8444-$(printf %012d $$)
mkdir -p "$config/sessions" "$project"
[ -n "$ANONYMOUS" ] || echo "{\"pid\":$$,\"sessionId\":\"$session\"}" > "$config/sessions/$$.json"
echo ready
n=0
while read -r line; do
	n=$((n+1))
	printf '{"type":"user","uuid":"%s-%s","message":{"role":"user","content":"%s"}}\n' "$session" "$n" "$line" >> "$project/$session.jsonl"
	echo "logged $line"
done
`

// claude opens a pane with the fake.
func claude(t *testing.T, n *node.Node, cwd string, env ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(program, []byte(fakeClaude), 0o700); err != nil {
		t.Fatal(err)
	}
	return run(t, n, pane.Spec{Harness: "claude", Cwd: cwd, Env: env}, program, "ready")
}

func says(t *testing.T, n *node.Node, id, line string) {
	t.Helper()
	if err := n.Panes.Input(t.Context(), pane.ID(id), []byte(line+"\r")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, id, "logged "+line)
}

func chatOf(t *testing.T, n *node.Node, id string) []string {
	t.Helper()
	chat, err := n.Local().Chat(t.Context(), id, "", 50)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, turn := range chat.Turns {
		texts = append(texts, turn.Text)
	}
	return texts
}

func TestAPanesChatIsThatOfItsOwnProcess(t *testing.T) {
	t.Parallel()
	n, cwd := open(t), t.TempDir()
	// Two sessions in one folder, and one of another profile.
	one, two := claude(t, n, cwd), claude(t, n, cwd)
	other := claude(t, n, cwd, "CLAUDE_CONFIG_DIR="+t.TempDir())
	if _, err := n.Local().Chat(t.Context(), one, "", 50); !errors.Is(err, api.ErrNoChat) {
		t.Errorf("before anything was said: %v", err)
	}
	for id, line := range map[string]string{one: "first", two: "second", other: "third"} {
		says(t, n, id, line)
	}
	says(t, n, one, "世界")
	for id, want := range map[string]string{one: "世界 first", two: "second", other: "third"} {
		if got := strings.Join(chatOf(t, n, id), " "); got != want {
			t.Errorf("pane %s has %q, want %q", id, got, want)
		}
	}
}

func TestAChatIsNeverGuessed(t *testing.T) {
	t.Parallel()
	n, cwd := open(t), t.TempDir()
	one := claude(t, n, cwd, "ANONYMOUS=1") // like a version that keeps no word of its process
	says(t, n, one, "first")
	if got := strings.Join(chatOf(t, n, one), " "); got != "first" {
		t.Errorf("the only agent of its folder has %q", got)
	}
	two := claude(t, n, cwd, "ANONYMOUS=1")
	for _, id := range []string{one, two} {
		if _, err := n.Local().Chat(t.Context(), id, "", 50); !errors.Is(err, api.ErrChatUnclear) {
			t.Errorf("pane %s, one of two in a folder: %v", id, err)
		}
	}
	shell := run(t, n, pane.Spec{Cwd: cwd}, "echo here; read x", "here")
	if _, err := n.Local().Chat(t.Context(), shell, "", 50); !errors.Is(err, api.ErrNoChat) {
		t.Errorf("of a shell: %v", err)
	}
	if _, err := n.Local().Chat(t.Context(), "p99", "", 50); !errors.Is(err, api.ErrPaneNotFound) {
		t.Errorf("of no pane: %v", err)
	}
}

func TestAChatIsMasked(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := claude(t, n, t.TempDir())
	if err := n.Panes.Input(t.Context(), pane.ID(id), []byte("key "+"ghp"+"_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\r")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, id, "logged key ghp_•")
	if got := strings.Join(chatOf(t, n, id), " "); !strings.HasPrefix(got, "key ghp_•") || strings.Contains(got, "a1B2") {
		t.Errorf("the chat is %q", got)
	}
}

// What the machine typed stands in the log of the program as a person's words.
func TestALineThatTheMachineTypedHasItsMarkInTheChat(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := claude(t, n, t.TempDir())
	says(t, n, id, "by hand")
	peers, err := n.Walky.Peers(t.Context(), walky.Sender{})
	if err != nil || len(peers) != 1 {
		t.Fatalf("sessions %+v, %v", peers, err)
	}
	to := peers[0].Address
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody waits for its receipt
	receipt, err := n.Walky.Send(ctx, walky.Sender{Device: "Pixel"}, to, "look", "")
	if err != nil {
		t.Fatal(err)
	}
	line := "[collie] message from a paired phone, read it with: collie walky inbox " + receipt.ID
	says(t, n, id, line)
	says(t, n, id, line+" now")
	chat, err := n.Local().Chat(t.Context(), id, "", 50)
	if err != nil || len(chat.Turns) != 3 {
		t.Fatalf("the chat is %+v, %v", chat, err)
	}
	for i, want := range []string{" ", "operator ‹phone:Pixel›", " "} { // the newest first
		if got := chat.Turns[i].Trust + " " + chat.Turns[i].Mark; got != want {
			t.Errorf("%q is %s, want %s", chat.Turns[i].Text, got, want)
		}
	}
}
