package caller

import (
	"slices"
	"time"

	"collie/node/trust"
)

// place gives a chain its level. It goes from the nearest sign of an agent to
// the weakest sign of a person.
func (r *Resolver) place(chain []Process, holders []Holder) Caller {
	for i, p := range chain {
		at := slices.IndexFunc(holders, func(h Holder) bool { return h.PID == p.PID && h.StartTime == p.StartTime })
		if at >= 0 {
			return r.inPane(chain, i, holders[at])
		}
	}
	if c, found := r.underServer(chain, holders); found {
		return c
	}
	return r.outside(chain)
}

// inPane places a caller below the holder at chain[above].
func (r *Resolver) inPane(chain []Process, above int, holder Holder) Caller {
	participant := func(why string) Caller { return Caller{trust.Participant, holder.Pane, why} }
	switch {
	case !throughProgram(chain, above, holder):
		return participant("does not descend from its pane's own first program")
	case slices.ContainsFunc(chain[:above], Process.holder):
		return participant("is below a second holder inside its pane")
	case r.heldInPane(chain[above+1:]):
		return participant("is in a pane that was started from inside another one")
	case slices.ContainsFunc(chain, r.IsHarness):
		return participant("has an agent on its chain of processes")
	case holder.Harness != "" && holder.Harness != "shell":
		return participant("shares its pane with an agent")
	case r.agentBelow(chain[above]):
		return participant("shares its pane with an agent")
	case !holder.OpenedByOperator:
		return participant("is in a pane that the operator did not open")
	}
	return Caller{trust.Operator, holder.Pane, "descends from the shell of a pane that the operator opened"}
}

// heldInPane reports whether a holder runs inside a pane in which this node
// does not run: whoever is in there has started it by hand, and what it says of
// who opened it is that one's word. The process that this node itself starts a
// holder with looks like one, and may have been there still when the chain was read.
func (r *Resolver) heldInPane(above []Process) bool {
	node := r.nodeChain()
	for i, p := range above {
		starter := len(node) > 0 && i+1 < len(above) && above[i+1].same(node[0])
		if p.holder() && !starter && !slices.ContainsFunc(node, p.same) {
			return true
		}
	}
	return false
}

// agentBelow reports whether an agent runs anywhere below a process: one that was
// started by hand may type into the terminal that the caller sits at.
func (r *Resolver) agentBelow(top Process) bool {
	found := false
	whole := descend(r.Processes, r.Processes.Children(top.PID), maxBelow, func(p Process) next {
		if r.IsHarness(p) {
			found = true
			return enough
		}
		return deeper
	})
	return found || !whole
}

// throughProgram reports whether the chain reaches the holder through the
// pane's own first program. A process that got the number of a program which
// ended started long after the holder did.
func throughProgram(chain []Process, above int, holder Holder) bool {
	if above == 0 || holder.ProgramPID == 0 {
		return false
	}
	first := chain[above-1]
	const latest = uint64(programDelay/time.Second) * clockTicks
	return first.PID == holder.ProgramPID && first.StartTime >= holder.StartTime && first.StartTime-holder.StartTime <= latest
}
