package holder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
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

// A process is a line of the process table.
type process struct {
	pid, parent, session int
	started              uint64 // clock ticks after the system's start
}

// readProcess reads /proc/PID/stat (proc_pid_stat(5)).
func readProcess(pid int) (process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The name is in brackets and may hold anything, brackets too.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("process %d: stat has %d fields", pid, len(fields))
	}
	p := process{pid: pid}
	var errs [3]error
	p.parent, errs[0] = strconv.Atoi(string(fields[1]))
	p.session, errs[1] = strconv.Atoi(string(fields[3]))
	p.started, errs[2] = strconv.ParseUint(string(fields[19]), 10, 64)
	return p, errors.Join(errs[:]...)
}

// Started returns when a process started, in clock ticks after the system's
// start: with the pid it names one process for good.
func Started(pid int) (uint64, error) {
	p, err := readProcess(pid)
	return p.started, err
}

// below says whether a process lives below ancestor.
func (p process) below(ancestor int) bool {
	for p.parent > 1 && p.parent != ancestor {
		parent, err := readProcess(p.parent)
		if err != nil {
			return false
		}
		p = parent
	}
	return p.parent == ancestor
}

// killBelow sends SIGKILL to every process below this one that match picks.
func killBelow(match func(process) bool) error {
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
		if p, err := readProcess(pid); err == nil && match(p) && p.below(self) {
			err = unix.Kill(pid, unix.SIGKILL)
			if err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
	}
	return nil
}
