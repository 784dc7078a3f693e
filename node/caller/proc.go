package caller

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Proc reads processes from the kernel's /proc; see proc_pid_stat(5).
type Proc struct{}

// Process reads one process. The three files are of the same one, because a
// folder of /proc that is open stays that of its process.
func (Proc) Process(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, fmt.Errorf("process %d: %w", pid, fs.ErrNotExist)
	}
	p, err := readProcess(pid)
	// A process that ended answers ESRCH; EPERM is an answer of hidepid (proc(5)).
	if errors.Is(err, unix.ESRCH) || errors.Is(err, fs.ErrPermission) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Process{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return p, nil
}

func readProcess(pid int) (Process, error) {
	folder, err := open(unix.AT_FDCWD, "/proc/"+strconv.Itoa(pid), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return Process{}, err
	}
	defer unix.Close(folder)
	var buffer [max(maxStatBytes, maxArgsBytes)]byte
	stat, err := read(folder, "stat", buffer[:maxStatBytes])
	if err != nil {
		return Process{}, err
	}
	p, err := parseStat(stat)
	if err != nil {
		return Process{}, err
	}
	if p.PID != pid {
		return Process{}, fmt.Errorf("stat is of process %d", p.PID)
	}
	status, err := read(folder, "status", buffer[:maxStatBytes])
	if err != nil {
		return Process{}, err
	}
	p.Root = parseRoot(status)
	args, err := read(folder, "cmdline", buffer[:maxArgsBytes])
	if err != nil {
		return Process{}, err
	}
	p.Args = parseArgs(args)
	return p, nil
}

// open and read are system calls without an os.File, which would be entered
// into the poller and cost more than the reading.
func open(folder int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(folder, name, flags|unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// read fills the buffer with the start of a file.
func read(folder int, name string, buffer []byte) ([]byte, error) {
	fd, err := open(folder, name, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for n < len(buffer) {
		more, err := unix.Read(fd, buffer[n:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if more == 0 {
			break
		}
		n += more
	}
	return buffer[:n], nil
}

// Places in /proc/PID/stat, counted from the state, which follows the name.
const (
	statState     = 0
	statParent    = 1
	statGroup     = 2
	statTerminal  = 4
	statInFront   = 5
	statFlags     = 6
	statStartTime = 19

	kernelThread = 0x00200000 // PF_KTHREAD in the kernel's sched.h
)

var errStat = errors.New("stat does not read as one")

// parseStat reads /proc/PID/stat. The name in parentheses is the process's own
// word and may hold parentheses and blanks itself, so it ends at the last one.
func parseStat(data []byte) (Process, error) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 1 || end < open {
		return Process{}, errStat
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) <= statStartTime {
		return Process{}, errStat
	}
	pid, pidErr := strconv.Atoi(strings.TrimSpace(string(data[:open])))
	parent, parentErr := strconv.Atoi(fields[statParent])
	group, groupErr := strconv.Atoi(fields[statGroup])
	inFront, inFrontErr := strconv.Atoi(fields[statInFront])
	terminal, terminalErr := strconv.ParseInt(fields[statTerminal], 10, 64)
	flags, flagsErr := strconv.ParseUint(fields[statFlags], 10, 64)
	startTime, startErr := strconv.ParseUint(fields[statStartTime], 10, 64)
	if errors.Join(pidErr, parentErr, groupErr, inFrontErr, terminalErr, flagsErr, startErr) != nil || pid <= 0 || parent < 0 {
		return Process{}, errStat
	}
	state := fields[statState]
	return Process{
		PID:       pid,
		Parent:    parent,
		StartTime: startTime,
		Name:      string(data[open+1 : end]),
		Terminal:  terminal != 0,
		Device:    uint64(uint32(terminal)),
		Group:     group,
		InFront:   max(inFront, 0), // -1: no terminal
		Kernel:    flags&kernelThread != 0,
		Ended:     state == "Z" || state == "X" || state == "x",
	}, nil
}

// parseRoot reports whether the real, effective and saved user in
// /proc/PID/status are root.
func parseRoot(data []byte) bool {
	for line := range bytes.Lines(data) {
		ids, found := bytes.CutPrefix(line, []byte("Uid:"))
		if !found {
			continue
		}
		fields := bytes.Fields(ids)
		if len(fields) != 4 {
			return false
		}
		for _, id := range fields[:3] {
			if string(id) != "0" {
				return false
			}
		}
		return true
	}
	return false
}

// parseArgs splits a command line at its zero bytes.
func parseArgs(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}
