package caller

import (
	"errors"
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
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
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
				if _, err := exec.LookPath("script"); err != nil {
					t.Skip("no script(1)")
				}
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
		got, err := resolver.Resolve(c)
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
		t.Skipf("orphans go to %+v here, %v", adopter, err)
	}
	for _, holders := range []panes{{holder}, nil} {
		if got, err := NewResolver(holders).Resolve(credentials); err != nil || got.Level != trust.Participant || got.Pane != "" {
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
	got, err := resolver.Resolve(credentials)
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
		got, err := resolver.Resolve(credentials)
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

func TestCallerThatEndedIsRefused(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	kill := func(cmd *exec.Cmd) {
		t.Helper()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	before := start(t, exec.Command(os.Args[0], "client", socket))
	conn := accept(t, listener)
	kill(before)
	if c, err := FromConn(conn); !errors.Is(err, ErrEnded) {
		t.Errorf("ended before it was asked for: %+v, %v", c, err)
	}

	between := start(t, exec.Command(os.Args[0], "client", socket))
	c, err := FromConn(accept(t, listener))
	if err != nil || c.PID != between.Process.Pid || c.UID != os.Geteuid() || c.StartTime == 0 {
		t.Fatalf("credentials are %+v, %v", c, err)
	}
	if c.pidfd == nil {
		t.Log("this kernel gives no pidfd of a peer")
	}
	kill(between)
	if got, err := NewResolver(panes{}).Resolve(c); !errors.Is(err, ErrEnded) {
		t.Errorf("ended before it was placed: %+v, %v", got, err)
	}
}

func TestZombieHasEnded(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	cmd := start(t, exec.Command(os.Args[0], "client", socket))
	conn := accept(t, listener)
	c, err := FromConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// WNOWAIT waits for its end and leaves the zombie.
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := NewResolver(panes{}).Resolve(c); !errors.Is(err, ErrEnded) {
		t.Errorf("placed %+v, %v", got, err)
	}
	if again, err := FromConn(conn); !errors.Is(err, ErrEnded) {
		t.Errorf("credentials are %+v, %v", again, err)
	}
}

func TestPidfdOutweighsAProcessWithTheSameNumber(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	cmd := start(t, exec.Command(os.Args[0], "client", socket))
	c, err := FromConn(accept(t, listener))
	if err != nil {
		t.Fatal(err)
	}
	if c.pidfd == nil {
		t.Skip("this kernel gives no pidfd of a peer")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	// The tree shows a process with its number and start time.
	processes := tree{c.PID: {PID: c.PID, StartTime: c.StartTime, Terminal: true}}
	if err := c.start(processes); !errors.Is(err, ErrEnded) {
		t.Errorf("start time was read: %v", err)
	}
	r := NewResolver(panes{})
	r.Processes = processes
	if got, err := r.Resolve(c); !errors.Is(err, ErrEnded) {
		t.Errorf("placed %+v, %v", got, err)
	}
}

func TestWithoutAPidfdTheStartTimeIsReadTwice(t *testing.T) {
	t.Parallel()
	first := tree{103: {PID: 103, StartTime: 7}}
	c := Credentials{PID: 103}
	if err := c.start(first); err != nil || c.StartTime != 7 {
		t.Errorf("start time is %d, %v", c.StartTime, err)
	}
	for name, second := range map[string]tree{
		"gone":     {},
		"replaced": {103: {PID: 103, StartTime: 8}},
		"a zombie": {103: {PID: 103, StartTime: 7, Ended: true}},
	} {
		c := Credentials{PID: 103}
		if err := c.start(&changing{trees: []tree{first, second}, after: 1}); !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCredentialsThatNameNobodyOfOursAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ucred unix.Ucred
		want  error
	}{
		{"ours", unix.Ucred{Pid: 103, Uid: 1000}, nil},
		{"no process", unix.Ucred{Pid: 0, Uid: 1000}, ErrNoProcess},
		{"no process of another user", unix.Ucred{Pid: 0, Uid: 0}, ErrNoProcess},
		{"another user", unix.Ucred{Pid: 103, Uid: 1001}, ErrOtherUser},
		{"root", unix.Ucred{Pid: 103, Uid: 0}, ErrOtherUser},
		{"nobody known", unix.Ucred{Pid: 103, Uid: ^uint32(0)}, ErrOtherUser},
	} {
		if err := check(&c.ucred, 1000); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRealCallerOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	// A folder that the other user may enter; the test's own may be closed.
	folder, err := os.MkdirTemp("", "caller")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := errors.Join(os.Chmod(folder, 0o755), os.Chmod(socket, 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "client", socket)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	start(t, cmd)
	if c, err := FromConn(accept(t, listener)); !errors.Is(err, ErrOtherUser) {
		t.Errorf("credentials are %+v, %v", c, err)
	}
}

func TestCredentialsAreOfTheProcessThatConnected(t *testing.T) {
	t.Parallel()
	listener, socket := listen(t)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c, err := FromConn(accept(t, listener))
	self, selfErr := Proc{}.Process(os.Getpid())
	if err != nil || selfErr != nil || c.PID != os.Getpid() || c.UID != os.Geteuid() || c.StartTime != self.StartTime {
		t.Errorf("credentials are %+v, %v, %v", c, err, selfErr)
	}
}
