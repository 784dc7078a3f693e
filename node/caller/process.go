package caller

import "slices"

// A Process is what the kernel tells about one process. PID and StartTime name
// it for as long as the system runs.
type Process struct {
	PID       int
	Parent    int    // 0: none inside this PID namespace
	StartTime uint64 // in clock ticks after the system's start
	Name      string // of its executable, at most 15 bytes; the process may change it
	Args      []string
	Root      bool   // real, effective and saved user are root
	Terminal  bool   // it has a controlling terminal
	Device    uint64 // that terminal's number, as in /proc/PID/stat
	Group     int    // its process group
	InFront   int    // the group in the foreground of its terminal; 0: none
	Kernel    bool   // a thread of the kernel
	Ended     bool   // a zombie
}

// Processes reads the process tree.
type Processes interface {
	// Process returns an error that wraps fs.ErrNotExist for a process that
	// is gone, or that this user may not see.
	Process(pid int) (Process, error)
	// Children returns the processes whose parent it is.
	Children(pid int) []int
}

func (p Process) same(q Process) bool { return p.PID == q.PID && p.StartTime == q.StartTime }

// holderCommand is the hidden command that a holder process runs.
const holderCommand = "_hold"

// holder reports a process that looks like the holder of some node's pane. One
// that only pretends to be one loses by it.
func (p Process) holder() bool {
	return len(p.Args) > 1 && slices.Contains(p.Args[1:], holderCommand)
}

// userManager reports systemd's manager of a user's services.
func (p Process) userManager() bool {
	return p.Name == "systemd" && slices.Contains(p.Args, "--user")
}

// rootSSHD reports an sshd that root runs. Since OpenSSH 9.8 the process of a
// session is named sshd-session. All user ids must be root's: a program that
// merely has the set-user-id bit keeps its caller's.
func (p Process) rootSSHD() bool {
	return p.Root && (p.Name == "sshd" || p.Name == "sshd-session")
}
