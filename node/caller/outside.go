package caller

import (
	"slices"

	"collie/node/trust"
)

// outside places a caller that is below no listed holder.
func (r *Resolver) outside(chain []Process) Caller {
	switch {
	case slices.ContainsFunc(chain, Process.holder):
		return outsider("is in a pane that this node does not know")
	case slices.ContainsFunc(chain[1:], func(p Process) bool { return p.PID == r.Node }):
		return outsider("was started by this node outside of its panes")
	case slices.ContainsFunc(chain, r.IsHarness):
		return outsider("has an agent on its chain of processes")
	case slices.ContainsFunc(chain, r.startedInPane):
		return outsider("was started in a pane and has left it")
	}
	if at := slices.IndexFunc(chain[1:], Process.multiplexer); at >= 0 {
		return r.inMultiplexer(chain, at+1)
	}
	top := chain[len(chain)-1]
	doubt := r.doubt(chain)
	switch {
	case chain[0].Terminal && doubt == "":
		return operator("has a terminal")
	case slices.ContainsFunc(chain, Process.rootSSHD):
		return operator("came in through sshd")
	case top.Parent == 0 && top.PID != 1 && !top.Kernel:
		return operator("was started from outside this container")
	case sharesAncestor(chain, r.nodeChain()):
		return operator(fromNodesStart)
	case chain[0].Terminal:
		return outsider(doubt)
	}
	return outsider(noTerminal)
}

const (
	noTerminal     = "has no terminal and cannot be told apart from an agent that left its pane"
	fromNodesStart = "was started by what also started this node"
)

func outsider(why string) Caller { return Caller{Level: trust.Participant, Why: why} }

func operator(why string) Caller { return Caller{Level: trust.Operator, Why: why} }

// startedInPane reports a process that was given the variables of a pane of this
// node. They are no proof of a pane; but whoever has them and is in none left it.
func (r *Resolver) startedInPane(p Process) bool {
	if r.Socket == "" {
		return false
	}
	variable, err := r.Environ(p.PID)
	return err == nil && variable("COLLIE_PANE") != "" && variable("COLLIE_SOCKET") == r.Socket
}

// doubt says why a terminal is no sign of a person; "" when it is one. Any program
// of this user can have one made: by the user manager, or by script(1) where that
// is nobody's child. And what a killed holder left behind is below no holder.
func (r *Resolver) doubt(chain []Process) string {
	below := slices.IndexFunc(chain, func(p Process) bool { return p.PID == 1 || p.userManager() })
	if below < 1 { // from outside the container, or below what this user may not see
		return ""
	}
	top := chain[below-1]
	switch {
	case chain[below].userManager() && top.Terminal:
		return "has a terminal that the user manager made for whoever asked"
	case top.Name == "script":
		return "has a terminal of script, which any program may start"
	case r.Killed != nil && !slices.ContainsFunc(chain, Process.rootSSHD):
		if since, killed := r.Killed(); killed && top.StartTime >= since {
			return "has a terminal that may be of a pane whose holder was killed: use an older one, come in over ssh, or start the node again once you have looked"
		}
	}
	return ""
}

// sharesAncestor reports whether a proper ancestor of the node is on the chain
// and is neither init nor a user manager.
func sharesAncestor(chain, node []Process) bool {
	if len(node) == 0 {
		return false
	}
	return slices.ContainsFunc(node[1:], func(p Process) bool {
		return p.PID != 1 && !p.userManager() && !p.Kernel && slices.ContainsFunc(chain, p.same)
	})
}
