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
// of this user can have one made: by the user manager, by what runs jobs at a later
// time, or by script(1) where that has none itself. And what began after a pane
// may be of it, where no holder is above it any more.
func (r *Resolver) doubt(chain []Process) string {
	below := slices.IndexFunc(chain, func(p Process) bool { return p.PID == 1 || p.userManager() })
	if below < 1 { // from outside the container, or below what this user may not see
		return ""
	}
	top, managed := chain[below-1], chain[below].userManager()
	switch {
	case managed && top.Terminal, managed && slices.ContainsFunc(chain[:below], Process.script) && !scriptAtTerminal(chain[:below]):
		return "has a terminal that the user manager made for whoever asked"
	case top.script(), slices.Contains(jobRunners, top.Name):
		return "has a terminal of " + top.Name + ", which any program may have start one"
	case slices.ContainsFunc(chain, Process.rootSSHD), top.Root && !chain[0].Root: // no program of this user began that
		return ""
	}
	if since, loose := r.loose(); loose && top.StartTime >= since {
		return "has a terminal that may be of a pane which nothing holds: use one that is older than the pane, or come in over ssh"
	}
	return ""
}

// jobRunners start what any program of this user hands them, by the name of the
// process.
var jobRunners = []string{"atd", "cron", "crond", "anacron"}

func (p Process) script() bool { return p.Name == "script" }

// scriptAtTerminal reports whether each script(1) was started in a terminal.
func scriptAtTerminal(chain []Process) bool {
	for i, p := range chain {
		if p.script() && (i+1 == len(chain) || !chain[i+1].Terminal) {
			return false
		}
	}
	return true
}

// loose tells since when there were panes that no holder keeps together: those
// whose holder was killed, and all of a server's.
func (r *Resolver) loose() (since uint64, loose bool) {
	if r.Killed != nil {
		since, loose = r.Killed()
	}
	for _, h := range r.holders.Holders() {
		if h.ServerPID == 0 {
			continue
		}
		server, err := r.Processes.Process(h.ServerPID)
		if err == nil && (!loose || server.StartTime < since) {
			since, loose = server.StartTime, true
		}
	}
	return since, loose
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
