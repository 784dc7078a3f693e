package node

import (
	"collie/node/caller"
	"collie/node/chat"
	"collie/node/harness"
	"collie/node/pane"
)

// agent is the agent of a pane, as the status board finds it, with what a search
// for its log needs to know.
func (n *Node) agent(info pane.Info) (chat.Process, bool) {
	adapter, p, ok := n.Status.Agent(info)
	if !ok {
		return chat.Process{}, false
	}
	return chat.Process{
		Harness: adapter.Name, PID: p.PID, Started: p.Started(n.now()), Wrapped: n.wrapped(adapter, p.PID),
		Rivals: func(folder string) int { return n.rivals(adapter, p.PID, folder) },
	}, true
}

// wrapped are the children of a harness that are that harness too.
func (n *Node) wrapped(adapter *harness.Adapter, pid int) []int {
	var proc caller.Proc
	var own []int
	for _, child := range proc.Children(pid) {
		if p, err := proc.Process(child); err == nil && n.harnesses.Of(p.Name, p.Args) == adapter {
			own = append(own, child)
		}
	}
	return own
}

// rivals counts the other processes of a harness that work in a folder, those
// below this one left out.
func (n *Node) rivals(adapter *harness.Adapter, pid int, folder string) int {
	var proc caller.Proc
	all, err := proc.All()
	if err != nil {
		return 1 // nobody knows
	}
	count := 0
	for _, other := range all {
		p, err := proc.Process(other)
		if err != nil || other == pid || n.harnesses.Of(p.Name, p.Args) != adapter {
			continue
		}
		if cwd, err := proc.Folder(other); err == nil && cwd == folder && !caller.Below(proc, other, pid) {
			count++
		}
	}
	return count
}
