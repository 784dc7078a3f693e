package caller

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A tree is a made-up process tree. Its text has one process a line, below its
// parent by two blanks:
//
//	1 init
//	  20 sshd [root]
//	    21 bash -l [tty]
//
// A process starts at the tick of its number, or at that of [@7]. It is in the
// group [g21] on the terminal [pts1] with the group [f22] in the foreground.
type tree map[int]Process

func parseTree(t *testing.T, text string) tree {
	t.Helper()
	processes := tree{}
	var above []int
	for line := range strings.Lines(text) {
		indent := strings.TrimLeft(line, "\t")
		if strings.TrimSpace(indent) == "" {
			continue
		}
		depth := (len(indent) - len(strings.TrimLeft(indent, " "))) / 2
		command, flags, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(indent, "]", "")), "[")
		words := strings.Fields(command)
		pid, err := strconv.Atoi(words[0])
		if err != nil || depth > len(above) {
			t.Fatalf("tree line %q: %v", line, err)
		}
		p := Process{PID: pid, StartTime: uint64(pid), Name: words[1], Args: words[1:]}
		if above = above[:depth]; depth > 0 {
			p.Parent = above[depth-1]
		}
		for _, flag := range strings.Fields(flags) {
			switch flag {
			case "tty":
				p.Terminal = true
			case "root":
				p.Root = true
			case "kernel":
				p.Kernel = true
			case "ended":
				p.Ended = true
			default:
				numbers := map[byte]any{'@': &p.StartTime, 'g': &p.Group, 'f': &p.InFront, 'p': &p.Device}
				number, found := numbers[flag[0]]
				if _, err := fmt.Sscan(strings.TrimLeft(flag, "@gfpts"), number); !found || err != nil {
					t.Fatalf("tree flag %q: %v", flag, err)
				}
			}
		}
		processes[pid] = p
		above = append(above, pid)
	}
	return processes
}

func (processes tree) Process(pid int) (Process, error) {
	p, found := processes[pid]
	if !found {
		return Process{}, fmt.Errorf("process %d: %w", pid, fs.ErrNotExist)
	}
	return p, nil
}

func (processes tree) Children(pid int) (below []int) {
	for _, p := range processes {
		if p.Parent == pid {
			below = append(below, p.PID)
		}
	}
	return below
}

// changing is a tree that becomes the next one after some readings.
type changing struct {
	trees []tree
	after int // readings of one tree
	reads int
}

func (c *changing) Process(pid int) (Process, error) {
	at := min(c.reads/c.after, len(c.trees)-1)
	c.reads++
	return c.trees[at].Process(pid)
}

func (c *changing) Children(pid int) []int { return c.trees[len(c.trees)-1].Children(pid) }

// flapping is a tree in which a process has another parent at each reading.
type flapping struct {
	tree
	pid   int
	other []int
	reads int
}

func (f *flapping) Process(pid int) (Process, error) {
	p, err := f.tree.Process(pid)
	if pid == f.pid {
		p.Parent = f.other[f.reads%len(f.other)]
		f.reads++
	}
	return p, err
}

type panes []Holder

func (p panes) Holders() []Holder { return p }

func TestTreesReadAsDrawn(t *testing.T) {
	t.Parallel()
	got := parseTree(t, `
		1 init
		  20 sshd [root]
		    21 bash -l [tty @7]
		300 docker-exec
	`)
	want := tree{
		1:   {PID: 1, StartTime: 1, Name: "init", Args: []string{"init"}},
		20:  {PID: 20, Parent: 1, StartTime: 20, Name: "sshd", Args: []string{"sshd"}, Root: true},
		21:  {PID: 21, Parent: 20, StartTime: 7, Name: "bash", Args: []string{"bash", "-l"}, Terminal: true},
		300: {PID: 300, StartTime: 300, Name: "docker-exec", Args: []string{"docker-exec"}},
	}
	if !maps.EqualFunc(got, want, func(a, b Process) bool {
		return a.same(b) && a.Parent == b.Parent && a.Terminal == b.Terminal && a.Root == b.Root && slices.Equal(a.Args, b.Args)
	}) {
		t.Errorf("tree is %+v", got)
	}
}
