package status

import (
	"fmt"

	"collie/node/caller"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
)

// A Front is who has a pane's terminal.
type Front struct {
	Adapter *harness.Adapter
	// Program is that of a Belief.
	Program string
	// Job names the program more narrowly than Program, to which all that is no
	// agent is one: the process group in the foreground, in this run of the pane.
	Job string
	// AtPrompt says that this is a shell that takes lines from a person, and that
	// it runs no other program. It may run a function of its own.
	AtPrompt bool
}

// OwnPrompt reports whether the line at the cursor of a picture is the prompt of a
// shell, which edits it itself. Where the kernel edits it, a function of the shell may
// be asking.
func (f Front) OwnPrompt(head grid.Frame) bool { return f.AtPrompt && !head.Echo && !head.Password }

// Is reports whether two are the same.
func (f Front) Is(g Front) bool { return f.Program == g.Program && f.Job == g.Job }

// Front returns who has a pane's terminal at this moment.
func (b *Board) Front(id pane.ID) (Front, error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return Front{}, err
	}
	return b.front(info), nil
}

// Believed is Front for whoever asks for each picture: which agent it is was found
// out when the pane was looked at last.
func (b *Board) Believed(id pane.ID) (Front, error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return Front{}, err
	}
	if belief, ok := b.held(id); ok && info.Exited == nil {
		return frontOf(info, belief.Adapter, belief.Program), nil
	}
	return b.front(info), nil
}

func (b *Board) front(info pane.Info) Front {
	a, program := b.running(info)
	return frontOf(info, a, program)
}

func frontOf(info pane.Info, a *harness.Adapter, program string) Front {
	f := Front{Adapter: a, Program: program, Job: info.Instance}
	if info.Exited != nil {
		return f
	}
	job := caller.JobOf(caller.Proc{}, info.PID)
	if program == harness.ShellName {
		f.AtPrompt = harness.AtPrompt(job.Leader.Args)
	}
	if !found(a, program, info) {
		f.Job = fmt.Sprintf("%s.%d.%d", info.Instance, job.Group, job.Leader.StartTime)
	}
	return f
}

// found reports whether the program is an agent that was found by its process,
// which names it, whatever it runs in front of itself.
func found(a *harness.Adapter, program string, info pane.Info) bool {
	return a.Agent() && program != declared(a, info)
}

// declared names the program of a pane that was said to be an agent.
func declared(a *harness.Adapter, info pane.Info) string { return a.Name + "." + info.Instance }
