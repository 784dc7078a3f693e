package integration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"collie/cmd/collie/remote"
	"collie/integration/harness"
	"collie/node/control"
)

// systemPATH is one that has no collie.
const systemPATH = "/usr/local/bin:/usr/bin:/bin"

// noise is what start-up files print on some machines.
const noise = "printf '\\033]0;owned\\007Welcome to juno\\n{\"version\": \"9\"}\\n'\n"

// addable is a lead with an ssh client, and a machine with an ssh server whose
// sessions find programs on a path.
func addable(t *testing.T, path string) (lead, juno *harness.Machine) {
	t.Helper()
	juno = harness.New(t, "juno", "COLLIE_LABEL=juno")
	write(t, filepath.Join(juno.Home, ".bashrc"), noise+"PS1='$ '\n", 0o600)
	ssh := harness.SSHTo(t, juno, path)
	lead = harness.New(t, "atlas", "COLLIE_LABEL=atlas", "PATH="+ssh.ClientPATH)
	return lead.Start(), juno
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestAMachineWithoutAnythingIsAddedOverSSHAndStaysAMember(t *testing.T) {
	t.Parallel()
	lead, juno := addable(t, systemPATH)
	result := lead.Run("", "crew", "add", "juno", "--label", "Juno's box", "--json")
	if result.Exit != 0 || result.Stderr != "" {
		t.Fatalf("exit %d\n%s", result.Exit, result.Stderr)
	}
	added := decodeAdded(t, result.Stdout)
	program := filepath.Join(juno.Home, ".local", "bin", "collie")
	if !added.Copied || !added.Started || !added.Joined || added.MemberID != "juno-s-box" || added.Program != program {
		t.Errorf("added %+v", added)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(program), ".*")); err != nil || len(left) > 0 {
		t.Errorf("beside the program is left %v, %v", left, err)
	}

	// The ssh session has ended by now; the node goes on without it.
	status := harness.JSON[control.Status](juno, "status")
	if status.Mode != "member" || status.Crew.MemberID != "juno-s-box" {
		t.Errorf("the new member says %+v", status)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", status.PID))
	if err != nil || strings.Contains(string(environ), "SSH_") {
		t.Errorf("the node knows of the connection: %q, %v", environ, err)
	}

	stop := func() {
		t.Helper()
		running := harness.JSON[control.Status](juno, "status").PID
		_ = syscall.Kill(running, syscall.SIGTERM)
		harness.Eventually(t, "the node's end", func() bool { return juno.Run("", "status").Exit == 5 })
	}
	stop()
	started := decodeAdded(t, lead.CLI("crew", "add", "juno", "--json"))
	if started.Copied || !started.Started || started.Joined || started.MemberID != "juno-s-box" {
		t.Errorf("after the node was stopped: %+v", started)
	}

	// It is away while the secret is replaced, and the same command mends it.
	stop()
	lead.CLI("crew", "rotate")
	mended := decodeAdded(t, lead.CLI("crew", "add", "juno", "--json"))
	if mended.Copied || !mended.Started || !mended.Joined || mended.MemberID != "juno-s-box" {
		t.Errorf("after a rotation that it missed: %+v", mended)
	}
	again := decodeAdded(t, lead.CLI("crew", "add", "juno", "--json"))
	if again.Copied || again.Started || again.Joined || again.MemberID != "juno-s-box" {
		t.Errorf("the same command again: %+v", again)
	}
}

// The program on the machine is one that writes down how it is called.
func TestTheTokenIsNoArgumentOnTheWayOfAMachine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	lead, _ := addable(t, folder+":"+systemPATH)
	record := filepath.Join(folder, "record")
	write(t, filepath.Join(folder, "collie"), fmt.Sprintf("#!/bin/sh\n{ echo \"$0 $*\"; env; cat /proc/$PPID/cmdline; echo; } >>%s\nexec %s \"$@\"\n", record, harness.Program(t)), 0o700)
	added := decodeAdded(t, lead.CLI("crew", "add", "juno", "--json"))
	if added.Copied || !added.Started || !added.Joined || added.Program != filepath.Join(folder, "collie") {
		t.Errorf("added %+v", added)
	}
	written, err := os.ReadFile(record)
	if err != nil || !strings.Contains(string(written), "crew join 127.0.0.1:") {
		t.Fatalf("%v\n%s", err, written)
	}
	fingerprint := harness.JSON[control.Invite](lead, "crew", "invite").Fingerprint // the second half of every token
	if strings.Contains(string(written), fingerprint) {
		t.Errorf("the token is an argument or in an environment:\n%s", written)
	}
}

func TestAMachineOfAnotherCrewIsRefusedAndStaysThere(t *testing.T) {
	t.Parallel()
	lead, juno := addable(t, filepath.Dir(harness.Program(t))+":"+systemPATH)
	juno.Start().CLI("crew", "invite")
	before := harness.JSON[control.CrewStatus](juno, "crew", "status")
	result := lead.Run("", "crew", "add", "juno")
	if result.Exit != 3 || result.Stdout != "" || !strings.HasPrefix(result.Stderr, "collie: juno: it is in another crew: as juno in juno\nhint: ") || !strings.Contains(result.Stderr, "crew leave") {
		t.Errorf("exit %d, %q", result.Exit, result.Stderr)
	}
	if after := harness.JSON[control.CrewStatus](juno, "crew", "status"); after.Crew != before.Crew {
		t.Errorf("its crew is %+v, was %+v", after.Crew, before.Crew)
	}
	if crew := harness.JSON[control.Status](lead, "status").Crew; crew != nil {
		t.Errorf("the lead founded %+v for nothing", crew)
	}
}

func TestWhereSSHDoesNotGetThroughNothingIsDone(t *testing.T) {
	t.Parallel()
	lead, juno := addable(t, systemPATH)
	for target, want := range map[string]struct {
		exit int
		says string
	}{
		"nowhere.invalid":            {5, "collie: nowhere.invalid: ssh ended: ssh: Could not resolve hostname nowhere.invalid"},
		"-oProxyCommand=touch owned": {2, "that is no ssh target"},
	} {
		result := lead.Run("", "crew", "add", "--", target)
		if result.Exit != want.exit || result.Stdout != "" || !strings.Contains(result.Stderr, want.says) || strings.Count(result.Stderr, "\n") != 2 {
			t.Errorf("%s: exit %d, %q", target, result.Exit, result.Stderr)
		}
	}
	if made, err := os.ReadDir(juno.Home); err != nil || len(made) != 1 {
		t.Errorf("the machine has %v, %v", made, err)
	}
}

func TestThePersonAtATerminalSeesTheStepsOfAnAddition(t *testing.T) {
	t.Parallel()
	lead, _ := addable(t, systemPATH)
	shown := lead.Terminal(t, "crew", "add", "juno")
	at := 0
	for _, step := range []string{"juno: connecting", "has no collie", "copying, 100 %", "copied collie", "started its node", "joining by 127.0.0.1:", "joined as juno", "the lead reaches it", "juno is juno in the crew atlas, and reachable."} {
		next := strings.Index(shown[at:], step)
		if next < 0 {
			t.Fatalf("%q is not shown, or not in its place:\n%s", step, shown)
		}
		at += next
	}
	if strings.Contains(shown, "Welcome") || strings.Contains(shown, "owned") {
		t.Errorf("what a start-up file printed is shown:\n%s", shown)
	}
}

func decodeAdded(t *testing.T, text string) (added remote.Added) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &added); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return added
}
