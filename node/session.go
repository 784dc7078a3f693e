package node

import (
	"os"
	"slices"
	"strconv"

	"collie/node/caller"
	"collie/node/chat"
	"collie/node/harness"
	"collie/node/pane"
)

// maxBelow bounds the processes of a pane that are looked at for its agent.
const maxBelow = 512

// agent finds the harness that runs in a pane: the first one below the pane's
// program, and those of the same kind that it is only the starter of.
func (n *Node) agent(info pane.Info) (chat.Process, bool) {
	var proc caller.Proc
	if info.Exited != nil {
		return chat.Process{}, false
	}
	below := []int{info.PID}
	for i := 0; i < len(below) && len(below) < maxBelow; i++ {
		p, err := proc.Process(below[i])
		if err != nil {
			continue
		}
		adapter := n.harnesses.Of(looksOf(p))
		if adapter == nil {
			below = append(below, proc.Children(p.PID)...)
			continue
		}
		return chat.Process{
			Harness: adapter.Name, PID: p.PID, Started: p.Started(n.now()), Wrapped: n.wrapped(proc, adapter, p.PID),
			Rivals: func(folder string) int { return n.rivals(adapter, p.PID, folder) },
		}, true
	}
	return chat.Process{}, false
}

// wrapped are the children of a harness that are that harness too.
func (n *Node) wrapped(proc caller.Proc, adapter *harness.Adapter, pid int) []int {
	var own []int
	for _, child := range proc.Children(pid) {
		if p, err := proc.Process(child); err == nil && n.harnesses.Of(looksOf(p)) == adapter {
			own = append(own, child)
		}
	}
	return own
}

// rivals counts the other processes of a harness that work in a folder, those
// above and below one of them left out.
func (n *Node) rivals(adapter *harness.Adapter, pid int, folder string) int {
	var proc caller.Proc
	names, err := os.ReadDir("/proc")
	if err != nil {
		return 1 // nobody knows
	}
	count := 0
	for _, name := range names {
		other, err := strconv.Atoi(name.Name())
		if err != nil || other == pid {
			continue
		}
		p, err := proc.Process(other)
		if err != nil || n.harnesses.Of(looksOf(p)) != adapter {
			continue
		}
		if cwd, err := os.Readlink("/proc/" + name.Name() + "/cwd"); err == nil && cwd == folder && !slices.Contains(ancestors(proc, other), pid) {
			count++
		}
	}
	return count
}

func ancestors(proc caller.Proc, pid int) []int {
	var above []int
	for range caller.MaxChain {
		p, err := proc.Process(pid)
		if err != nil || p.Parent == 0 {
			break
		}
		above = append(above, p.Parent)
		pid = p.Parent
	}
	return above
}
