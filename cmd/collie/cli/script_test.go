package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"collie/node/control"
)

// The scripts in testdata run the real program. Beside the usual commands they
// have:
//
//	exits CODE ARGS…       run collie ARGS, which has to end with CODE
//	failure TEXT           its stderr is one line "collie: …TEXT…", then at most one "hint: …"
//	node NAME [KEY=VALUE…] start a node, and speak to it from here on
//	at NAME                speak to another node
//	stop                   end the node with SIGTERM; it has to exit with 0
//	invite                 write a token of the node to the file token, and set LEAD
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for _, pair := range environ(filepath.Join(env.WorkDir, "home")) {
				key, value, _ := strings.Cut(pair, "=")
				env.Setenv(key, value)
			}
			env.Values[machines{}] = map[string]*machine{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "failure": failure, "node": nodeCommand, "at": atNode, "stop": stopNode, "invite": inviteToken,
		},
	})
}

// machines is the key of a script's nodes by name.
type machines struct{}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec("collie", args[1:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("collie: %v", err)
	}
	if code != want {
		ts.Fatalf("collie %s: exit %d, want %d", strings.Join(args[1:], " "), code, want)
	}
}

func failure(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile("stderr")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if neg || len(lines) > 2 || !strings.HasPrefix(lines[0], "collie: ") || !strings.Contains(lines[0], args[0]) ||
		(len(lines) == 2 && !strings.HasPrefix(lines[1], "hint: ")) {
		ts.Fatalf("stderr is not one line of failure with %q and a hint:\n%s", args[0], text)
	}
	if len(args) == 2 && (len(lines) != 2 || !strings.Contains(lines[1], args[1])) {
		ts.Fatalf("the hint does not say %q:\n%s", args[1], text)
	}
}

func nodeCommand(ts *testscript.TestScript, _ bool, args []string) {
	m, err := start(ts.MkAbs(args[0]), args[1:]...)
	if m != nil && m.process != nil {
		ts.Defer(m.end)
	}
	ts.Check(err)
	ts.Value(machines{}).(map[string]*machine)[args[0]] = m
	atNode(ts, false, args[:1])
}

func atNode(ts *testscript.TestScript, _ bool, args []string) {
	home := ts.MkAbs(args[0])
	ts.Setenv("COLLIE_STATE_DIR", filepath.Join(home, "state"))
	ts.Setenv("COLLIE_CONFIG_DIR", filepath.Join(home, "config"))
	ts.Setenv("NODE", args[0])
}

func stopNode(ts *testscript.TestScript, _ bool, _ []string) {
	m := ts.Value(machines{}).(map[string]*machine)[ts.Getenv("NODE")]
	ts.Check(m.stop())
}

func inviteToken(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("collie", "crew", "invite", "--json"))
	var invite control.Invite
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &invite))
	ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(invite.Token+"\n"), 0o600))
	ts.Setenv("LEAD", invite.Addresses[0])
}
