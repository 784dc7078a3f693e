package caller

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"collie/crypto/need"
	"collie/node/trust"
)

// The test binary is also the programs that the tests start, chosen by its
// first arguments: "_hold SOCKET…" is a holder, "client SOCKET" a caller.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == holderCommand {
		os.Exit(hold(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "client" {
		os.Exit(client(os.Args[2]))
	}
	// The race detector would hold up the end of each process for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// patience bounds every wait for another process.
const patience = 20 * time.Second

// client connects and stays until the other end closes.
func client(socket string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer conn.Close()
	if _, err := io.Copy(io.Discard, conn); err != nil {
		return 1
	}
	return 0
}

// hold runs a program as a pane's holder does: as a subreaper, in a terminal.
// It says the program's pid and ends when its input does.
func hold(path string, args []string) int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program := exec.Command(path, args...)
	terminal, err := pty.Start(program)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer terminal.Close()
	fmt.Println(program.Process.Pid)
	go func() { _ = program.Wait() }()
	go func() { _, _ = io.Copy(io.Discard, terminal) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// listen returns a socket and its path.
func listen(t *testing.T) (*net.UnixListener, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener, path
}

func accept(t *testing.T, listener *net.UnixListener) *net.UnixConn {
	t.Helper()
	if err := listener.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	conn, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// start starts a command that is killed at the test's end.
func start(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// pane starts a holder around a bash script, in which $client calls.
func pane(t *testing.T, script, socket string) (Holder, *exec.Cmd) {
	t.Helper()
	bash := need.Program(t, "bash")
	cmd := exec.Command(os.Args[0], holderCommand, bash, "-c", script)
	cmd.Env = append(os.Environ(), "client="+os.Args[0]+" client "+socket)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	t.Cleanup(func() { stdin.Close() })
	h := Holder{Pane: "p1", PID: cmd.Process.Pid, OpenedByOperator: true}
	if _, err := fmt.Fscan(stdout, &h.ProgramPID); err != nil {
		t.Fatal(err)
	}
	p, err := Proc{}.Process(h.PID)
	if err != nil {
		t.Fatal(err)
	}
	h.StartTime = p.StartTime
	return h, cmd
}

func TestRealCallersInsideAPane(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		level  trust.Level
	}{
		"a child of the shell":                  {"$client; exit 0", trust.Operator},
		"the shell's own process":               {"exec $client", trust.Operator},
		"a job in the background":               {"$client & wait", trust.Operator},
		"a new session below the shell":         {"setsid $client & wait", trust.Operator},
		"a grandchild":                          {"bash -c '$client; :'; exit 0", trust.Operator},
		"double-forked":                         {"(setsid $client &) ; sleep 60", trust.Participant},
		"double-forked with the terminal":       {"($client &) ; sleep 60", trust.Participant},
		"double-forked twice":                   {"(setsid bash -c '(setsid $client &) ; :' &) ; sleep 60", trust.Participant},
		"double-forked after the shell's end":   {"trap '' HUP; export shell=$$; setsid bash -c 'while [ -e /proc/$shell ]; do sleep 0.01; done; $client; :' &", trust.Participant},
		"double-forked in a terminal of script": {"(setsid script -qec \"$client\" /dev/null </dev/null >/dev/null 2>&1 &) ; sleep 60", trust.Participant},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(name, "of script") {
				need.Program(t, "script")
			}
			listener, socket := listen(t)
			holder, _ := pane(t, c.script, socket)
			credentials, err := FromConn(accept(t, listener))
			if err != nil {
				t.Fatal(err)
			}
			got := settle(t, NewResolver(panes{holder}), credentials, c.level)
			if got.Level != c.level || got.Pane != "p1" {
				t.Errorf("placed %+v", got)
			}
		})
	}
}

func TestRealCallersBesideAnAgentAreNoOperator(t *testing.T) {
	t.Parallel()
	// A link to sleep stands for the agent: a process is known by its name.
	agent := filepath.Join(t.TempDir(), "claude")
	sleep, err := exec.LookPath("sleep")
	if err == nil {
		err = os.Symlink(sleep, agent)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"in the background":            agent + " 60 & $client; exit 0",
		"in a session of its own":      "setsid " + agent + " 60 & $client; exit 0",
		"below a program of the shell": "bash -c '" + agent + " 60; :' & $client; exit 0",
		"that left its shell":          "(setsid " + agent + " 60 &) ; $client; exit 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, socket := listen(t)
			holder, _ := pane(t, script, socket)
			credentials, err := FromConn(accept(t, listener))
			if err != nil {
				t.Fatal(err)
			}
			resolver := NewResolver(panes{holder})
			resolver.IsHarness = func(p Process) bool { return p.Name == "claude" }
			got := settle(t, resolver, credentials, trust.Participant) // the agent may have yet to start
			if got.Level != trust.Participant || got.Pane != "p1" || got.Why != "shares its pane with an agent" {
				t.Errorf("placed %+v", got)
			}
		})
	}
}

// settle resolves until a forking parent that was still there has ended, which
// makes an operator a participant and never the reverse.
func settle(t *testing.T, resolver *Resolver, c Credentials, want trust.Level) Caller {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got, err := resolver.Resolve(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got.Level == want || got.Level != trust.Operator || time.Now().After(deadline) {
			return got
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestRealCallerWhoseHolderWasKilledIsNoOperator(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	holder, process := pane(t, "(trap '' HUP; setsid $client &) ; sleep 60", socket)
	credentials, err := FromConn(accept(t, listener))
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	p, err := Proc{}.Process(credentials.PID)
	if err != nil {
		t.Fatal(err)
	}
	if adopter, err := (Proc{}).Process(p.Parent); err != nil || adopter.PID != 1 && !adopter.userManager() {
		need.Missing(t, fmt.Sprintf("an init that adopts orphans, which go to %+v (%v),", adopter, err))
	}
	for _, holders := range []panes{{holder}, nil} {
		if got, err := NewResolver(holders).Resolve(t.Context(), credentials); err != nil || got.Level != trust.Participant || got.Pane != "" {
			t.Errorf("placed %+v, %v", got, err)
		}
	}
}

func TestRealCallerInAPaneThatIsNotListedIsNoOperator(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	pane(t, "$client; exit 0", socket)
	credentials, err := FromConn(accept(t, listener))
	if err != nil {
		t.Fatal(err)
	}
	resolver := NewResolver(panes{})
	resolver.Node = start(t, exec.Command("sleep", "60")).Process.Pid
	got, err := resolver.Resolve(t.Context(), credentials)
	if err != nil || got != (Caller{Level: trust.Participant, Why: "is in a pane that this node does not know"}) {
		t.Errorf("placed %+v, %v", got, err)
	}
}

func TestRealCallersOutsideOfPanes(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	sibling := start(t, exec.Command("sleep", "60")).Process.Pid
	call := func(node int, begin func(*exec.Cmd)) Caller {
		t.Helper()
		begin(exec.Command(os.Args[0], "client", socket))
		credentials, err := FromConn(accept(t, listener))
		if err != nil {
			t.Fatal(err)
		}
		resolver := NewResolver(panes{})
		resolver.Node = node
		got, err := resolver.Resolve(t.Context(), credentials)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	session := func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		start(t, cmd)
	}
	terminal := func(cmd *exec.Cmd) {
		f, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	if got := call(sibling, terminal); got != (Caller{trust.Operator, "", "has a terminal"}) {
		t.Errorf("in a terminal: %+v", got)
	}
	if got := call(sibling, session); got != (Caller{trust.Operator, "", "was started by what also started this node"}) {
		t.Errorf("a sibling of the node: %+v", got)
	}
	if got := call(os.Getpid(), terminal); got != (Caller{trust.Participant, "", "was started by this node outside of its panes"}) {
		t.Errorf("a child of the node: %+v", got)
	}
}
