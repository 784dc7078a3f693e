package status

import (
	"context"
	"fmt"

	"collie/node/caller"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
)

// A Sight is one pane as it is at this moment.
type Sight struct {
	Front
	Reading harness.Reading
	Frame   grid.Frame // whole
}

// Look looks at a pane now, for whoever is about to type into it. The screen comes
// last: to find the program takes longer, and a question may come meanwhile.
func (b *Board) Look(ctx context.Context, id pane.ID) (Sight, error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return Sight{}, err
	}
	front := b.front(info)
	frame, err := b.panes.Screen(ctx, id)
	if err != nil {
		return Sight{}, err
	}
	var screen grid.Screen
	if _, err := screen.Apply(frame); err != nil {
		return Sight{}, err
	}
	return Sight{front, b.read(ctx, id, front.Adapter, screen.Rows(), screen.Head()), frame}, nil
}

// Running returns the adapter and the run of the program in a pane's foreground,
// as they are at this moment.
func (b *Board) Running(id pane.ID) (*harness.Adapter, string, error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return nil, "", err
	}
	a, program := b.running(info)
	return a, program, nil
}

// Agent finds the agent in the foreground of a pane, and its process.
func (b *Board) Agent(info pane.Info) (*harness.Adapter, caller.Process, bool) {
	if info.Exited != nil {
		return nil, caller.Process{}, false // its number may be another process's
	}
	var a *harness.Adapter
	p, ok := caller.InFront(caller.Proc{}, info.PID, func(p caller.Process) bool {
		a = b.harnesses.Of(p.Name, p.Args)
		return a != nil
	})
	return a, p, ok
}

func (b *Board) running(info pane.Info) (*harness.Adapter, string) {
	if a, p, ok := b.Agent(info); ok {
		return a, fmt.Sprintf("%s.%d.%d", a.Name, p.PID, p.StartTime)
	}
	a := b.harnesses.Named(info.Harness)
	if !a.Agent() {
		return a, harness.ShellName
	}
	return a, declared(a, info)
}

// read reads a screen, with as much scrollback as a question needs that began
// above it.
func (b *Board) read(ctx context.Context, id pane.ID, a *harness.Adapter, rows []grid.Row, head grid.Frame) harness.Reading {
	s := harness.Screen{Rows: rows, Cols: head.Cols, Cursor: head.Cursor, Title: head.Title}
	reading := a.Read(s)
	if reading.Prompt == nil || !reading.Prompt.Cut {
		return reading
	}
	above, err := b.panes.History(ctx, id, 0, 1)
	if err == nil && above.Total > 1 {
		from := max(above.Total-harness.SubjectRows, 0)
		above, err = b.panes.History(ctx, id, from, harness.SubjectRows)
	}
	if err != nil || len(above.Rows) == 0 {
		return reading
	}
	s.Cursor.Row += len(above.Rows)
	s.Rows = append(append(make([]grid.Row, 0, len(above.Rows)+len(rows)), above.Rows...), rows...)
	if longer := a.Read(s); longer.Prompt != nil && len(longer.Prompt.Options) == len(reading.Prompt.Options) {
		return longer
	}
	return reading
}
