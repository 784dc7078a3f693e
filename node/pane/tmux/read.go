package tmux

import (
	"context"
	"errors"
	"fmt"

	"collie/node/grid"
	"collie/node/pane"
)

// shownPane returns a pane once its screen is there.
func (m *Mux) shownPane(ctx context.Context, id pane.ID) (*tmuxPane, error) {
	m.mu.Lock()
	p, ok := m.panes[id]
	detached := m.detached
	unseen := ok && m.crowded && m.clients[p.row.session] == nil
	m.mu.Unlock()
	switch {
	case detached:
		return nil, pane.ErrDetached
	case !ok:
		return nil, notFound(id)
	case unseen: // what was seen of it before is old
		return nil, fmt.Errorf("pane %s: %w", id, errNoRoom)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	select {
	case <-p.seeded:
		return p, nil
	case <-p.gone:
		return nil, notFound(id)
	case <-m.ctx.Done():
		return nil, pane.ErrDetached
	case <-ctx.Done():
		return nil, fmt.Errorf("pane %s: %w: %w", id, pane.ErrAway, ctx.Err())
	}
}

// Screen implements [pane.Multiplexer].
func (m *Mux) Screen(ctx context.Context, id pane.ID) (grid.Frame, error) {
	p, err := m.shownPane(ctx, id)
	if err != nil {
		return grid.Frame{}, err
	}
	return p.view.Whole(), nil
}

// History implements [pane.Multiplexer].
func (m *Mux) History(ctx context.Context, id pane.ID, from, count int) (pane.History, error) {
	p, err := m.shownPane(ctx, id)
	if err != nil {
		return pane.History{}, err
	}
	return p.view.History(from, count), nil
}

// Modes implements [pane.Multiplexer].
func (m *Mux) Modes(ctx context.Context, id pane.ID) (pane.Modes, error) {
	p, err := m.shownPane(ctx, id)
	if err != nil {
		return pane.Modes{}, err
	}
	modes := p.view.Modes()
	modes.Line = p.typed.line()
	return modes, nil
}

// Watch implements [pane.Multiplexer].
func (m *Mux) Watch(ctx context.Context, id pane.ID, send func(grid.Frame) error) error {
	p, err := m.shownPane(ctx, id)
	if err != nil {
		return err
	}
	over, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watching := make(chan struct{})
	defer func() { <-watching }()
	defer cancel(nil)
	go func() {
		defer close(watching)
		select {
		case <-over.Done():
		case <-p.gone:
			if m.ctx.Err() != nil {
				cancel(pane.ErrDetached)
			}
			cancel(notFound(id))
		case <-m.ctx.Done():
			cancel(pane.ErrDetached)
		}
	}()
	err = p.view.Watch(over.Done(), send)
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = context.Cause(over)
	}
	return err
}
