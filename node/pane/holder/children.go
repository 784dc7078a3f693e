package holder

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"collie/node/caller"
)

// A reaped process is one that ended below this one.
type reaped struct {
	pid  int
	code int
}

// reap collects every child that ended, and says whether others still run. As
// a subreaper the holder is also the parent of what its program left behind.
func reap() (ended []reaped, others bool) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return ended, false // ECHILD: there is none
		case pid == 0:
			return ended, true
		}
		code := status.ExitStatus()
		if status.Signaled() {
			code = 128 + int(status.Signal())
		}
		ended = append(ended, reaped{pid, code})
	}
}

// below says whether a process lives below ancestor.
func below(p caller.Process, ancestor int) bool {
	for p.Parent > 1 && p.Parent != ancestor {
		parent, err := caller.Proc{}.Process(p.Parent)
		if err != nil {
			return false
		}
		p = parent
	}
	return p.Parent == ancestor
}

// killBelow sends SIGKILL to every process below this one that match picks.
func killBelow(match func(pid int) bool) error {
	self := os.Getpid()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, err := (caller.Proc{}).Process(pid); err == nil && match(pid) && below(p, self) {
			err = unix.Kill(pid, unix.SIGKILL)
			if err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
	}
	return nil
}
