package caller

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Credentials name the process that connected, as the kernel kept it at that
// moment. They hold a pidfd where the kernel gives one (6.5 and newer), so
// that a later process with the same number is never taken for the caller;
// elsewhere the start time stands in. The pidfd is closed with the last copy.
type Credentials struct {
	UID       int
	PID       int
	StartTime uint64 // in clock ticks after the system's start

	pidfd *os.File
}

// FromConn returns who is at the other end of a unix socket (SO_PEERCRED and
// SO_PEERPIDFD, unix(7)). It refuses with ErrNoProcess, ErrOtherUser or
// ErrEnded.
func FromConn(conn *net.UnixConn) (Credentials, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Credentials{}, fmt.Errorf("ask for the calling process: %w", err)
	}
	var c Credentials
	controlErr := raw.Control(func(fd uintptr) { c, err = fromSocket(int(fd)) })
	if err = errors.Join(controlErr, err); err != nil {
		return Credentials{}, err
	}
	return c, nil
}

func fromSocket(fd int) (Credentials, error) {
	ucred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Credentials{}, fmt.Errorf("ask for the calling process: %w", err)
	}
	if err := check(ucred, os.Geteuid()); err != nil {
		return Credentials{}, err
	}
	c := Credentials{UID: int(ucred.Uid), PID: int(ucred.Pid)}
	if c.pidfd, err = peerPidfd(fd); err != nil {
		return Credentials{}, err
	}
	if err := c.start(Proc{}); err != nil {
		return Credentials{}, err
	}
	return c, nil
}

// check refuses what no later step could place.
func check(ucred *unix.Ucred, own int) error {
	switch {
	case ucred.Pid <= 0:
		return ErrNoProcess
	case int64(ucred.Uid) != int64(own):
		return fmt.Errorf("%w: uid %d, not %d", ErrOtherUser, ucred.Uid, own)
	}
	return nil
}

// peerPidfd returns a pidfd of the process that connected, nil when the kernel
// has none to give. Older kernels answer EINVAL, later ones ESRCH, for a
// process that was already reaped.
func peerPidfd(fd int) (*os.File, error) {
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	switch {
	case errors.Is(err, unix.ENOPROTOOPT):
		return nil, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ESRCH):
		return nil, ErrEnded
	case err != nil:
		return nil, fmt.Errorf("ask for a pidfd of the calling process: %w", err)
	}
	unix.CloseOnExec(pidfd)
	return os.NewFile(uintptr(pidfd), "pidfd"), nil
}

// start reads the start time. It is the caller's, and not that of a later
// process with its number: the pidfd says after the reading that the caller
// has not ended, or without one a second reading shows the same process.
func (c *Credentials) start(processes Processes) error {
	p, err := processes.Process(c.PID)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && p.Ended:
		return ErrEnded
	case err != nil:
		return fmt.Errorf("look up the calling process: %w", err)
	}
	c.StartTime = p.StartTime
	if c.pidfd != nil {
		return c.alive()
	}
	if again, err := processes.Process(c.PID); err != nil || !again.same(p) || again.Ended {
		return ErrEnded
	}
	return nil
}

// alive refuses a caller that the pidfd shows to have ended. Without a pidfd
// the start times that a chain is read with have to do.
func (c Credentials) alive() error {
	if c.pidfd == nil {
		return nil
	}
	defer runtime.KeepAlive(c.pidfd)
	poll := []unix.PollFd{{Fd: int32(c.pidfd.Fd()), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("ask whether the calling process runs: %w", err)
		case n > 0:
			return ErrEnded
		}
		return nil
	}
}
