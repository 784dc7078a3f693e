package status

import (
	"context"
	"errors"
	"time"

	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
)

// watch looks at a pane each time its screen changed, and once more at a question
// that has yet to count.
func (b *Board) watch(ctx context.Context, id pane.ID) {
	for ctx.Err() == nil {
		var screen grid.Screen
		err := b.panes.Watch(ctx, id, func(frame grid.Frame) error {
			if _, err := screen.Apply(frame); err != nil {
				return err
			}
			again, err := b.observe(ctx, id, screen.Rows(), screen.Head())
			for err == nil {
				if err = wait(ctx, lookInterval); err != nil || !again {
					break
				}
				var sight Sight
				if sight, err = b.Look(ctx, id); err == nil {
					again = b.see(ctx, id, sight.Adapter, sight.Program, sight.Reading)
				}
			}
			return err
		})
		if ctx.Err() != nil || errors.Is(err, pane.ErrNotFound) {
			return
		}
		b.log.Debug("a pane cannot be watched at present", "pane", id, "error", err)
		_ = wait(ctx, retryInterval)
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// observe reads a screen that changed.
func (b *Board) observe(ctx context.Context, id pane.ID, rows []grid.Row, head grid.Frame) (again bool, err error) {
	info, err := b.panes.Get(id)
	if err != nil {
		return false, err
	}
	a, program := b.running(info)
	return b.see(ctx, id, a, program, b.read(ctx, id, a, rows, head)), nil
}

// see takes what was read of a pane, and says whether to look once more.
func (b *Board) see(ctx context.Context, id pane.ID, a *harness.Adapter, program string, r harness.Reading) (again bool) {
	changed := false
	b.mu.Lock()
	if p := b.places[id]; p != nil && ctx.Err() == nil {
		changed, again = p.see(a, program, r, b.now())
		b.askLog(id)
	}
	b.mu.Unlock()
	if changed {
		b.changes.Signal()
	}
	return again
}
