package node

import (
	"context"
	"slices"
	"time"

	"collie/node/api"
	"collie/node/pane"
)

// meantFor refuses keys that are meant for another program than the one that has
// the pane now: those that name it, and those of a page that typed for it. A
// line for an agent that has ended would be a command for the shell below it.
func (l *Local) meantFor(id pane.ID, keys api.Keys, from *page) error {
	if keys.Program == "" && !keys.Typed {
		return nil
	}
	_, program, err := l.node.Status.Running(id)
	if err != nil {
		return err
	}
	now := l.node.programID(program)
	switch {
	case keys.Program != "" && keys.Program != now:
		return api.ErrProgramChanged
	case keys.Program == "" && from.program != "" && from.program != now:
		return api.ErrProgramChanged
	}
	from.program = now
	return nil
}

// escapes holds back a first Escape on a screen that asks something which no
// adapter understands: it may throw away an hour of work. A second one within
// escapePatience goes through.
func (l *Local) escapes(ctx context.Context, w *writer, id pane.ID, keys []string) error {
	if Via(ctx) == "cli" || !slices.ContainsFunc(keys, pane.SendsEscape) {
		return nil
	}
	sight, err := l.node.Status.Look(ctx, id)
	if err != nil {
		return err
	}
	r := sight.Reading
	unclear := r.Prompt == nil && (r.Owned || (r.Boxed && r.Input == nil && r.Status == pane.Unknown))
	now := l.node.now()
	if !unclear || (!w.escaped.IsZero() && now.Sub(w.escaped) <= escapePatience) {
		w.escaped = time.Time{}
		return nil
	}
	w.escaped = now
	return api.ErrEscapeUnconfirmed
}
