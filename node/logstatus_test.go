package node_test

import (
	"os"
	"path/filepath"
	"testing"

	"collie/node/pane"
	"collie/node/status"
)

// loggingClaude draws nothing that an adapter understands, and logs a line of the
// real program's for each word that it is told.
const loggingClaude = `#!/bin/sh
project="$CLAUDE_CONFIG_DIR/projects/$(pwd | sed 's/[^a-zA-Z0-9]/-/g')"
session=11111111-2222-4333-8444-$(printf %012d $$)
mkdir -p "$CLAUDE_CONFIG_DIR/sessions" "$project"
echo "{\"pid\":$$,\"sessionId\":\"$session\"}" > "$CLAUDE_CONFIG_DIR/sessions/$$.json"
old='{"type":"assistant","timestamp":"2020-01-01T00:00:00Z","message":{"content":[],"stop_reason":"end_turn"}}'
echo "$old" > "$project/$session.jsonl"
echo ready
while read -r word; do
	now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	case $word in
	told) line='"type":"user","message":{"content":"go on"}' ;;
	calls) line='"type":"assistant","message":{"content":[{"type":"tool_use","id":"a"}],"stop_reason":"tool_use"}' ;;
	ends) line='"type":"assistant","message":{"content":[],"stop_reason":"end_turn"}' ;;
	esac
	echo "{\"timestamp\":\"$now\",$line}" >> "$project/$session.jsonl"
	echo "logged $word"
done
`

func TestASessionLogSaysWhatAnAgentDoesWhereItsScreenDoesNot(t *testing.T) {
	t.Parallel()
	n := open(t)
	program := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(program, []byte(loggingClaude), 0o700); err != nil {
		t.Fatal(err)
	}
	id := run(t, n, pane.Spec{Cwd: t.TempDir(), Env: []string{"CLAUDE_CONFIG_DIR=" + t.TempDir()}}, program, "ready")
	becomes := func(want string, source status.Source) {
		t.Helper()
		eventually(t, "it is "+want+" from its "+string(source), func() bool {
			info, err := n.Panes.Get(pane.ID(id))
			b := n.Status.Of(info)
			return err == nil && string(b.Status) == want && b.Source == source && b.Harness() == "claude"
		})
	}
	becomes("unknown", status.Screen) // what an earlier run wrote says nothing of this one
	for _, step := range []struct {
		word, want string
		source     status.Source
	}{{"told", "working", status.Log}, {"calls", "unknown", status.Screen}, {"ends", "idle", status.Log}} {
		says(t, n, id, step.word)
		becomes(step.want, step.source)
	}
	n.Status.Report(pane.ID(id), status.Report{Source: status.Hook, Status: "blocked", Why: "it asks for a permission"})
	becomes("blocked", status.Hook)
}
