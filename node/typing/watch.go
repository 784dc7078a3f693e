package typing

import (
	"context"
	"errors"
	"time"

	"collie/node/grid"
)

// await looks at each new screen until one is as wanted. A program that goes on
// drawing has longer than one that stands still.
func (t *Text) await(ctx context.Context, wanted func(shot) bool) (found shot, err error) {
	return t.watch(ctx, nil, wanted)
}

// afterwards does something to the pane while it is watched, and awaits what comes
// of it: the answer to what is typed is not held back for the pace of pictures.
func (t *Text) afterwards(ctx context.Context, do func() error, wanted func(shot) bool) (found shot, err error) {
	failed := error(nil)
	found, err = t.watch(ctx, func() error { failed = do(); return failed }, wanted)
	if failed != nil {
		return found, failed
	}
	return found, err
}

// watch is await and, with do, afterwards: the screen before that counts for
// nothing.
func (t *Text) watch(ctx context.Context, do func() error, wanted func(shot) bool) (found shot, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	stalled := time.AfterFunc(stallTimeout, cancel)
	defer stalled.Stop()
	seen := errors.New("seen")
	var screen grid.Screen
	err = t.By.Panes.Watch(ctx, t.Pane, func(frame grid.Frame) error {
		if _, err := screen.Apply(frame); err != nil {
			return err
		}
		if do != nil {
			act := do
			do = nil
			stalled.Reset(stallTimeout)
			return act()
		}
		if found = shotOf(t.sight.Adapter, screen.Rows(), screen.Head()); wanted(found) {
			return seen
		}
		stalled.Reset(stallTimeout)
		return nil
	})
	switch {
	case errors.Is(err, seen):
		return found, nil
	case ctx.Err() != nil:
		return found, ErrNotSeen
	}
	return found, err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ErrNotSeen
	}
}
