package pane

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"collie/node/caller"
)

// reserve keeps a place among the panes until release. Where there is none, the
// pane whose program ended first gives way: it is kept for its last screen, and a
// person who opens another one has had the time to read it.
func (b *Builtin) reserve(ctx context.Context) (release func(), err error) {
	for {
		release, err = b.tryReserve()
		if !errors.Is(err, ErrTooMany) || !b.giveWay(ctx) {
			return release, err
		}
	}
}

func (b *Builtin) tryReserve() (release func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.detached:
		return nil, ErrDetached
	case len(b.panes)+b.openings.count() >= b.config.MaxPanes:
		return nil, fmt.Errorf("%w: %d", ErrTooMany, b.config.MaxPanes)
	}
	return b.openings.Begin(), nil
}

// giveWay closes the pane whose program ended first, and reports whether one is
// gone. One below which something still runs stays: that would end with it. So
// does one that does not answer.
func (b *Builtin) giveWay(ctx context.Context) bool {
	ended := slices.DeleteFunc(b.List(), func(i Info) bool { return i.Exited == nil })
	slices.SortFunc(ended, func(i, j Info) int { return i.Since.Compare(j.Since) })
	for _, info := range ended {
		if len((caller.Proc{}).Children(info.HolderPID)) > 0 {
			continue
		}
		err := b.Close(ctx, info.ID)
		if _, left := b.Get(info.ID); errors.Is(left, ErrNotFound) {
			b.config.Log.Info("an ended pane gave way to a new one", "pane", info.ID, "exit", *info.Exited)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		b.config.Log.Debug("an ended pane does not give way", "pane", info.ID, "error", err)
	}
	return false
}
