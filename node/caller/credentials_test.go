package caller

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"collie/crypto/need"
)

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
	need.Root(t, "to start a process of another user")
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
