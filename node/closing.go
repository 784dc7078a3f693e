package node

import (
	"context"
	"path"

	"collie/node/api"
	"collie/node/caller"
	"collie/node/control"
	"collie/node/harness"
	"collie/node/pane"
)

// paneClose closes a pane, or only one in which no program runs, so that whoever
// asks a person first need not know how that is told.
func (n *Node) paneClose(ctx context.Context, call *control.Call) (any, error) {
	var request control.PaneClose
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	if request.Idle {
		info, err := n.Local().paneOf(call.Param("id"))
		if err != nil {
			return nil, err
		}
		if program := runs(info); program != "" {
			return nil, api.ErrProgramRuns.With(program)
		}
	}
	err := n.Local().Close(WithVia(ctx, "cli"), call.Param("id"))
	return control.OK{OK: err == nil}, err
}

// runs returns the name of the program that a person at a pane's terminal has
// before them, or "" where that is a shell's prompt or nothing any more.
func runs(info pane.Info) string {
	if info.Exited != nil {
		return ""
	}
	name := ""
	_, found := caller.InFront(caller.Proc{}, info.PID, func(p caller.Process) bool {
		if harness.AtPrompt(p.Args) {
			return false
		}
		if name = p.Name; len(p.Args) > 0 {
			name = path.Base(p.Args[0])
		}
		return true
	})
	if !found {
		return ""
	}
	return name
}
