package pane

import (
	"context"
	"errors"
	"fmt"

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
	case len(b.panes)+b.opening >= b.config.MaxPanes:
		return nil, fmt.Errorf("%w: %d", ErrTooMany, b.config.MaxPanes)
	}
	b.opening++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.opening--
	}, nil
}

// giveWay closes the pane whose program ended first, and reports whether one is
// gone. One below which something still runs stays: that would end with it.
func (b *Builtin) giveWay(ctx context.Context) bool {
	first := Info{}
	for _, info := range b.List() {
		if info.Exited != nil && (first.ID == "" || info.Since.Before(first.Since)) && len((caller.Proc{}).Children(info.HolderPID)) == 0 {
			first = info
		}
	}
	if first.ID == "" {
		return false
	}
	if err := b.Close(ctx, first.ID); err != nil && !errors.Is(err, ErrNotFound) {
		return false
	}
	_, err := b.Get(first.ID)
	if gone := errors.Is(err, ErrNotFound); !gone {
		return false
	}
	b.config.Log.Info("an ended pane gave way to a new one", "pane", first.ID, "exit", *first.Exited)
	return true
}
