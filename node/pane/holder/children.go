package holder

import (
	"errors"
	"os"

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

// killBelow sends SIGKILL to every process below this one that match picks.
func killBelow(match func(pid int) bool) error {
	var proc caller.Proc
	all, err := proc.All()
	if err != nil {
		return err
	}
	for _, pid := range all {
		if !match(pid) || !caller.Below(proc, pid, os.Getpid()) {
			continue
		}
		if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}
