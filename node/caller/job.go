package caller

// A Job is the process group in the foreground of a terminal: one command of an
// interactive shell, or the shell itself while it runs none.
type Job struct {
	Group int
	// Leader began the group; the zero value when it has ended before the others.
	Leader Process
}

// JobOf returns the job in the foreground of the terminal that a program has. It is
// the zero value where there is no terminal, or no such program.
func JobOf(processes Processes, program int) Job {
	first, err := processes.Process(program)
	if err != nil || first.InFront == 0 {
		return Job{}
	}
	if first.InFront == first.PID {
		return Job{first.InFront, first}
	}
	leader, err := processes.Process(first.InFront)
	if err != nil || leader.Ended {
		return Job{Group: first.InFront}
	}
	return Job{first.InFront, leader}
}
