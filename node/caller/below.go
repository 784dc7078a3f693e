package caller

import "iter"

// What comes after one process of a descent.
type next int

const (
	deeper next = iota // the others, and what is below this one
	past               // the others, and nothing below this one
	enough             // nothing
)

// descend visits processes and what is below them, the nearest first. It reports
// whether it came to its end, and not to the bound.
func descend(processes Processes, queue []int, most int, visit func(Process) next) (whole bool) {
	for looked := 0; looked < len(queue); looked++ {
		if looked >= most {
			return false
		}
		p, err := processes.Process(queue[looked])
		if err != nil {
			continue // it ended
		}
		switch visit(p) {
		case deeper:
			queue = append(queue, processes.Children(p.PID)...)
		case past:
		case enough:
			return true
		}
	}
	return true
}

// InFront finds what a person at the terminal of a pane has before them, if it is
// what is looked for: the process nearest to the pane's program that is in the
// foreground of its terminal, or below such a one on another terminal or none
// (script, an editor's terminal). A job in the background, and the panes of another
// holder, are not before anybody.
func InFront(processes Processes, program int, is func(Process) bool) (found Process, ok bool) {
	first, err := processes.Process(program)
	if err != nil || first.InFront == 0 {
		return Process{}, false
	}
	inFront := map[int]bool{}
	descend(processes, []int{program}, maxInFront, func(p Process) next {
		here := inFront[p.Parent]
		if p.Device == first.Device {
			here = p.Group == first.InFront
		}
		inFront[p.PID] = here
		switch {
		case p.holder(), !here && inFront[p.Parent]:
			return past
		case here && !p.Ended && is(p):
			found, ok = p, true
			return enough
		}
		return deeper
	})
	return found, ok
}

// Above yields the ancestors of a process, the nearest first, each as it is when
// it is read: a chain that grants something is read by a Resolver.
func Above(processes Processes, pid int) iter.Seq[Process] {
	return func(yield func(Process) bool) {
		p, err := processes.Process(pid)
		for range MaxChain {
			if err != nil || p.Parent == 0 {
				return
			}
			if p, err = processes.Process(p.Parent); err != nil || !yield(p) {
				return
			}
		}
	}
}

// Below reports whether a process is below another one.
func Below(processes Processes, pid, ancestor int) bool {
	for above := range Above(processes, pid) {
		if above.PID == ancestor {
			return true
		}
	}
	return false
}
