package cli

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processes counts the processes that hold a text in their environment or on
// their command line.
func processes(t *testing.T, text string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		for _, name := range []string{"environ", "cmdline"} {
			data, err := os.ReadFile(filepath.Join("/proc", entry.Name(), name))
			if err == nil && strings.Contains(string(data), text) {
				found = append(found, entry.Name())
				break
			}
		}
	}
	return found
}

func startDemo(t *testing.T, tmp string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	command := exec.Command("collie", append([]string{"demo", "--port", "0"}, args...)...)
	command.Env = []string{"HOME=" + tmp, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "TMPDIR=" + tmp, "GORACE=atexit_sleep_ms=0"}
	var stderr strings.Builder
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		if err := command.Wait(); err != nil {
			t.Errorf("the demo ended with %v", err)
		}
		if stderr.Len() > 0 { // no progress in a pipe
			t.Errorf("stderr is %q", stderr.String())
		}
		eventually(t, "the end of every process of the demo", func() bool { return len(processes(t, "TMPDIR="+tmp)) == 0 })
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("in the temporary folder is left %v, %v", left, err)
		}
	})
	return command, bufio.NewReader(stdout)
}

func TestDemoRunsThreeNodesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	_, stdout := startDemo(t, tmp)
	var state string
	for state == "" {
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("the demo did not say how to speak to a node: %v", err)
		}
		if _, rest, found := strings.Cut(line, "COLLIE_STATE_DIR="); found {
			state = strings.Fields(rest)[0]
		}
	}
	m := &machine{environ: append(environ(tmp), "COLLIE_STATE_DIR="+state)}
	eventually(t, "three reachable nodes", func() bool {
		reachable := 0
		for _, member := range at[[]any](t, m.must(t, "crew", "status"), "members") {
			if at[string](t, member, "state") == "reachable" {
				reachable++
			}
		}
		return reachable == 3
	})
}

func TestDemoThatIsEndedWhileItStartsLeavesNothing(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	startDemo(t, tmp)
	// Its end, in the clean-up, comes while the first node is about to serve.
	eventually(t, "the first node", func() bool {
		found, err := filepath.Glob(filepath.Join(tmp, "collie-demo-*", "atlas", "state", "lock"))
		return err == nil && len(found) == 1
	})
}

func TestDemoSaysInOneLineWhyItCannotRun(t *testing.T) {
	t.Parallel()
	m := begin(t)
	port := m.ready.HTTP.URL[strings.LastIndex(string(m.ready.HTTP.URL), ":")+1:]
	stdout, stderr, code := m.run(t, "", "demo", "--port", string(port))
	want := fmt.Sprintf("collie: atlas did not start: cannot listen on port %s: the port is in use", port)
	if code != exitFailed || stdout != "" || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

// The commands are run in a pane that holds an agent.
func TestAnAgentInAPaneMayReadAndNotOrder(t *testing.T) {
	t.Parallel()
	m := begin(t)
	out := filepath.Join(m.home, "out")
	script := `PATH='` + os.Getenv("PATH") + `'
for command in "pair" "devices list" "crew invite" "crew join 127.0.0.1:9 x" "pane new" "pane send $COLLIE_PANE x" "status" "walky who" "pane show $COLLIE_PANE"; do
	collie $command >/dev/null 2>` + out + `.err; echo "$? $command" >> ` + out + `
done
cp ` + out + `.err ` + out + `.last
echo done >> ` + out + `
cat`
	id := at[string](t, m.must(t, "pane", "new", "--harness", "agent", "--", "/bin/sh", "-c", script), "id")
	var lines []string
	eventually(t, "the agent's commands", func() bool {
		data, _ := os.ReadFile(out)
		lines = strings.Split(strings.TrimSpace(string(data)), "\n")
		return lines[len(lines)-1] == "done"
	})
	want := []string{
		"4 pair", "4 devices list", "4 crew invite", "4 crew join 127.0.0.1:9 x", "4 pane new", "4 pane send " + id + " x",
		"0 status", "0 walky who", "0 pane show " + id, "done",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("the agent's commands ended with\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheStatusOnAnInheritedDescriptorIsOneLineAndThenEnds(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	m := &machine{home: home, environ: environ(home), ended: make(chan error, 1)}
	m.process = exec.Command("collie", "up", "--ready-fd", "3")
	m.process.Env, m.process.ExtraFiles = m.environ, []*os.File{write}
	if err := m.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { m.ended <- m.process.Wait() }()
	write.Close()
	m.ready.StateDir = filepath.Join(home, "state")
	t.Cleanup(m.end)
	_ = read.SetReadDeadline(time.Now().Add(patience))
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatalf("no line: %v", lines.Err())
	}
	fields(t, "the line", decode(t, lines.Text()), statusFields...)
	if lines.Scan() || lines.Err() != nil { // a pane's holder that kept the pipe would keep it open
		t.Errorf("after it came %q, %v", lines.Text(), lines.Err())
	}
}

// A secret is in no log, no error, no document and no file but those that are
// there to hold it.
func TestPlantedSecretsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	lead, member := begin(t, "COLLIE_LABEL=atlas"), begin(t, "COLLIE_LABEL=juno")
	invite := lead.must(t, "crew", "invite")
	token := at[string](t, invite, "token")
	member.mustWith(t, token, "crew", "join", at[string](t, invite, "addresses", 0), "-")
	code := at[string](t, lead.must(t, "pair"), "code")

	const typed = "hunter2planted"
	id := at[string](t, lead.must(t, "pane", "new", "--", "/bin/sh", "-c", "stty -echo; cat >/dev/null"), "id")
	for _, c := range typed {
		lead.must(t, "pane", "keys", id, string(c))
	}
	_, stderr, _ := member.run(t, "planted-wrong-token", "crew", "join", "127.0.0.1:9", "-")
	if strings.Contains(stderr, "planted-wrong-token") {
		t.Errorf("a token is quoted: %s", stderr)
	}
	secret, _, _ := strings.Cut(token, ".")
	var crew struct{ Secret string }
	data, err := os.ReadFile(filepath.Join(lead.home, "state", "crew.json"))
	if err != nil {
		t.Fatal(err)
	}
	crew.Secret = at[string](t, decode(t, string(data)), "secret")
	planted := map[string]string{
		"the invite's token": secret, "the pairing code": code, "the crew secret": crew.Secret, "what was typed": typed,
		"the token of a failed join": "planted-wrong-token",
	}
	for _, m := range []*machine{lead, member} {
		for _, args := range [][]string{{"status"}, {"doctor"}, {"config"}, {"crew", "status"}, {"devices", "list"}, {"pane", "list"}, {"walky", "log"}} {
			stdout, stderr, _ := m.run(t, "", append([]string{"--json"}, args...)...)
			for what, text := range planted {
				if strings.Contains(stdout+stderr, text) {
					t.Errorf("%s is in what collie %s says", what, strings.Join(args, " "))
				}
			}
		}
		err := filepath.WalkDir(m.home, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			for what, text := range planted {
				if strings.Contains(string(data), text) && (what != "the crew secret" || entry.Name() != "crew.json") {
					t.Errorf("%s is in %s", what, path)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTextFromElsewhereDoesNotSpeakToTheTerminal(t *testing.T) {
	t.Parallel()
	m := begin(t)
	folder := filepath.Join(m.home, "a\x1b]0;owned\x07\u202eb")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	m.must(t, "pane", "new", "--cwd", folder, "--", "cat")
	stdout, _, code := m.run(t, "", "pane", "list")
	if code != exitDone || strings.ContainsAny(stdout, "\x1b\x07\u202e") || !strings.Contains(stdout, "a]0;ownedb") {
		t.Errorf("exit %d, %q", code, stdout)
	}
	_, stderr, _ := m.run(t, "", "pane", "new", "--cwd", "/no\x1b[31m\nsuch")
	if strings.Contains(stderr, "\x1b") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr is %q", stderr)
	}
}
