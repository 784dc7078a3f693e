package status

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"collie/node/caller"
	"collie/node/harness"
)

// Bounds of the search for an agent in the foreground.
const (
	maxForeground = 64 // processes
	maxArgsBytes  = 4 << 10
)

// A process as the kernel shows it.
type process struct {
	pid        int
	start      uint64
	group      int
	foreground int // group of its terminal
	name       string
}

// foreground finds the agent in the foreground of a terminal: the leader of the
// group that has it, or the nearest of its descendants in that group. It asks
// the kernel by way of the first program of the pane, whose terminal it is.
func (b *Board) foreground(program int) (*harness.Adapter, process) {
	first, err := readProcess(program)
	if err != nil || first.foreground <= 0 {
		return nil, process{}
	}
	begin := first.foreground
	if _, err := readProcess(begin); err != nil {
		begin = program // the leader has ended, others of its group go on
	}
	queue := []int{begin}
	for looked := 0; len(queue) > 0 && looked < maxForeground; looked++ {
		pid := queue[0]
		queue = queue[1:]
		p, err := readProcess(pid)
		if err != nil {
			continue
		}
		if p.group == first.foreground {
			if a := b.harnesses.Of(harness.Process{Name: p.name, Args: readArgs(pid)}); a != nil {
				return a, p
			}
		}
		if room := maxForeground - len(queue); room > 0 {
			below := caller.Proc{}.Children(pid)
			queue = append(queue, below[:min(len(below), room)]...)
		}
	}
	return nil, process{}
}

// Places in /proc/PID/stat behind the name, see proc_pid_stat(5).
const (
	statGroup      = 2
	statForeground = 5
	statStart      = 19
)

func readProcess(pid int) (process, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return process{}, os.ErrInvalid
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) <= statStart {
		return process{}, os.ErrInvalid
	}
	p := process{pid: pid, name: string(data[open+1 : end])}
	if p.group, err = strconv.Atoi(fields[statGroup]); err != nil {
		return process{}, err
	}
	if p.foreground, err = strconv.Atoi(fields[statForeground]); err != nil {
		return process{}, err
	}
	p.start, err = strconv.ParseUint(fields[statStart], 10, 64)
	return p, err
}

func readArgs(pid int) []string {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	defer f.Close()
	buffer := make([]byte, maxArgsBytes)
	n, err := f.Read(buffer)
	if err != nil || n == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(buffer[:n]), "\x00"), "\x00")
}
