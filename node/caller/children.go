package caller

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Children returns the processes that a process started and that run below it,
// as the kernel lists them at this moment; some may be missing while they change.
func (Proc) Children(pid int) []int {
	lists, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	if err != nil || len(lists) > maxThreads {
		return nil
	}
	var children []int
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that ended
		}
		for _, field := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(field); err == nil && len(children) < maxChildren {
				children = append(children, child)
			}
		}
	}
	return children
}

// All returns every process that this user may see.
func (Proc) All() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var all []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all, nil
}

// Folder returns the folder that a process works in.
func (Proc) Folder(pid int) (string, error) {
	folder, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
	if err != nil {
		return "", fmt.Errorf("look where process %d works: %w", pid, err)
	}
	return folder, nil
}

// TicksAt returns a time in clock ticks after the system's start, 0 for one before
// that, by the clock of now.
func TicksAt(at, now time.Time) uint64 {
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return 0
	}
	return uint64(max(0, time.Duration(up.Nano())-now.Sub(at)) / (time.Second / clockTicks))
}

// Started returns when a process began, by the clock of now.
func (p Process) Started(now time.Time) time.Time {
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}
	}
	began := time.Duration(p.StartTime) * (time.Second / clockTicks)
	return now.Add(began - time.Duration(up.Nano()))
}
