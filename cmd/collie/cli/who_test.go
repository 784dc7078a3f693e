package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// runnable are the commands that do something themselves.
func runnable(command *cobra.Command) (names []string) {
	for _, c := range command.Commands() {
		if c.HasSubCommands() {
			names = append(names, runnable(c)...)
		}
		if name := nameOf(c); !c.HasSubCommands() || name == "wake" {
			names = append(names, name)
		}
	}
	return names
}

func TestEveryCommandSaysWhoMayRunIt(t *testing.T) {
	t.Parallel()
	var a app
	names := append(runnable(a.root()), "help", "__complete", "__completeNoDesc")
	for _, name := range names {
		if rights[name] == 0 {
			t.Errorf("nobody has said who may run %q", name)
		}
	}
	for name := range rights {
		if !slices.Contains(names, name) {
			t.Errorf("there is no command %q", name)
		}
	}
}

func TestAShellIsToldHowACommandGoesOn(t *testing.T) {
	t.Parallel()
	m := begin(t)
	for _, ask := range []string{"__complete", "__completeNoDesc"} {
		stdout, stderr, code := m.run(t, "", ask, "pane", "re")
		if code != exitDone || !strings.HasPrefix(stdout, "rename") {
			t.Errorf("%s: exit %d, %q, %q", ask, code, stdout, stderr)
		}
	}
}

// ordered is a valid line of each command that an agent may not run.
var ordered = map[string]string{
	"pair": "", "devices list": "", "devices revoke": "x", "devices set-expiry": "x 1d", "devices clear-expiry": "x",
	"pane new": "", "pane send": "$COLLIE_PANE x", "pane keys": "$COLLIE_PANE Enter", "pane attach": "$COLLIE_PANE",
	"pane rename": "$COLLIE_PANE x", "pane close": "$COLLIE_PANE --yes",
	"crew add": "nobody@127.0.0.1", "crew invite": "", "crew join": "127.0.0.1:9 x", "crew leave": "", "crew rotate": "", "crew rename": "x", "crew remove": "x",
	"crew set-address": "x", "crew deputy": "x", "crew approve-promote": "x", "promote": "", "reconnect": "",
	"channel add webhook": "ci --to p1", "channel list": "", "channel remove": "ci",
	"schedule add": "x --cron @daily --to p1 x", "schedule list": "", "schedule remove": "x",
	"sent list": "", "sent forget": "x", "sent clear": "", "audit tail": "", "audit verify": "",
	"backup": "-o $HOME/stolen.age --passphrase @$HOME/phrase", "restore": "$HOME/stolen.age",
	"hooks install": "claude --hold-permissions", "hooks uninstall": "claude", "skill install": "", "skill uninstall": "",
}

// inAgent runs a script in a pane that holds an agent and returns what it writes.
func (m *machine) inAgent(t *testing.T, script string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	script = "PATH='" + os.Getenv("PATH") + "'\n{ " + script + "\n} > " + out + " 2> " + out + ".err\nmv " + out + " " + out + ".done\ncat"
	m.must(t, "pane", "new", "--harness", "agent", "--", "/bin/sh", "-c", script)
	var data []byte
	eventually(t, "the end of the agent's commands", func() bool {
		var err error
		data, err = os.ReadFile(out + ".done")
		return err == nil
	})
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func TestAnAgentInAPaneIsRefusedEveryCommandThatOnlyTheOperatorMayRun(t *testing.T) {
	t.Parallel()
	m := begin(t)
	for _, folder := range []string{".claude", ".codex"} {
		if err := os.Mkdir(filepath.Join(m.home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var script strings.Builder
	var want []string
	for name, right := range rights {
		if right == anyone {
			continue
		}
		arguments, ok := ordered[name]
		if !ok {
			t.Errorf("%q is tried with no arguments", name)
		}
		null := "/dev/null"
		if name == "pane attach" {
			null = "/dev/tty"
		}
		fmt.Fprintf(&script, "collie %s %s <"+null+" >"+null+"; echo \"$? %[1]s\"\n", name, arguments)
		want = append(want, "4 "+name)
		if right == operatorHere { // also of a node that does not run, and of nobody's
			for _, past := range []string{"COLLIE_STATE_DIR=$HOME/other", "env -u COLLIE_SOCKET COLLIE_STATE_DIR=$HOME/other"} {
				fmt.Fprintf(&script, "%s collie %s %s </dev/null >/dev/null; echo \"$? %[2]s past\"\n", past, name, arguments)
				want = append(want, "4 "+name+" past")
			}
		}
	}
	got := m.inAgent(t, script.String())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the agent's commands ended with\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, left := range []string{"stolen.age", ".claude/settings.json", ".claude/skills", ".codex/hooks.json"} {
		if _, err := os.Lstat(filepath.Join(m.home, left)); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", left, err)
		}
	}
}

func TestWhatTheOperatorDoesWithoutTheNodeIsInItsAuditLog(t *testing.T) {
	t.Parallel()
	m := begin(t)
	if err := os.Mkdir(filepath.Join(m.home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	m.must(t, "crew", "invite") // so that there is something to keep
	m.must(t, "hooks", "install", "claude", "--hold-permissions")
	if _, stderr, code := m.run(t, "a long passphrase\n", "backup", "-o", filepath.Join(m.home, "kept.age"), "--passphrase", "-"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var found []string
	for _, line := range m.must(t, "audit", "tail").([]any) {
		found = append(found, fmt.Sprint(line.(map[string]any)["action"], " ", line.(map[string]any)["what"], " ", line.(map[string]any)["outcome"]))
	}
	for _, want := range []string{"hooks.install claude --hold-permissions --json begun", "backup --output --passphrase begun"} {
		if !slices.Contains(found, want) {
			t.Errorf("the audit log has %q, and no %q", found, want)
		}
	}
}
