package caller

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"collie/crypto/need"
)

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
	if got, err := NewResolver(panes{}).Resolve(t.Context(), c); !errors.Is(err, ErrEnded) {
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
	if got, err := NewResolver(panes{}).Resolve(t.Context(), c); !errors.Is(err, ErrEnded) {
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
		need.Missing(t, "a kernel that gives a pidfd of a peer (6.5)")
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
	if got, err := r.Resolve(t.Context(), c); !errors.Is(err, ErrEnded) {
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
