package pane

import (
	"context"
	"errors"
	"fmt"
	"time"

	"collie/node/grid"
	"collie/node/pane/draft"
	"collie/node/pane/holder"
)

// request runs do with the connection to a pane's holder and a deadline.
func (b *Builtin) request(ctx context.Context, id ID, do func(context.Context, *holder.Conn) error) error {
	_, conn, err := b.reach(id)
	if err != nil {
		return err
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestTimeout)
		defer cancel()
	}
	if err := do(ctx, conn); err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return nil
}

// Screen implements [Multiplexer].
func (b *Builtin) Screen(ctx context.Context, id ID) (frame grid.Frame, err error) {
	err = b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		frame, err = conn.Screen(ctx)
		return err
	})
	return frame, err
}

// History implements [Multiplexer].
func (b *Builtin) History(ctx context.Context, id ID, from, count int) (history History, err error) {
	err = b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		history, err = conn.History(ctx, from, count)
		return err
	})
	return history, err
}

// Modes implements [Multiplexer].
func (b *Builtin) Modes(ctx context.Context, id ID) (modes Modes, err error) {
	err = b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		modes, err = conn.Modes(ctx)
		return err
	})
	if err == nil && modes.Line == draft.Unknown { // a holder of an earlier build
		modes.Line = b.typedIn(id)
	}
	return modes, err
}

// typedIn is what this node knows by itself of the line that is typed in a pane.
func (b *Builtin) typedIn(id ID) draft.Line {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.panes[id]; ok {
		return p.typed.Line()
	}
	return draft.Unknown
}

// typeIn types bytes and counts them, unless they surely were not typed.
func (b *Builtin) typeIn(ctx context.Context, id ID, conn *holder.Conn, typed []byte) error {
	err := conn.Input(ctx, typed)
	if err != nil && !errors.Is(err, ErrOutcomeUnknown) {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.panes[id]
	if !ok {
		return err
	}
	after := p.typed
	if after.Feed(typed); err == nil || after.Line() == draft.Begun {
		p.typed = after
	}
	return err
}

// Input implements [Multiplexer].
func (b *Builtin) Input(ctx context.Context, id ID, p []byte) error {
	return b.InputIf(ctx, id, p, anyhow)
}

// InputIf implements [Multiplexer]: a look at the screen is an answer of the holder,
// and so as new as it can be.
func (b *Builtin) InputIf(ctx context.Context, id ID, p []byte, still func() error) error {
	if err := still(); err != nil {
		return err
	}
	return b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		return b.typeIn(ctx, id, conn, p)
	})
}

// Paste implements [Multiplexer].
func (b *Builtin) Paste(ctx context.Context, id ID, text string) error {
	return b.PasteIf(ctx, id, text, anyhow)
}

// PasteIf implements [Multiplexer].
func (b *Builtin) PasteIf(ctx context.Context, id ID, text string, still func() error) error {
	return b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		modes, err := conn.Modes(ctx)
		if err != nil {
			return err
		}
		typed, err := encodePaste(text, modes.BracketedPaste)
		if err != nil {
			return err
		}
		if err := still(); err != nil {
			return err
		}
		return b.typeIn(ctx, id, conn, typed)
	})
}

func anyhow() error { return nil }

// Resize implements [Multiplexer].
func (b *Builtin) Resize(ctx context.Context, id ID, cols, rows int) error {
	return b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		return conn.Resize(ctx, cols, rows)
	})
}

// Rename implements [Multiplexer].
func (b *Builtin) Rename(ctx context.Context, id ID, label string) error {
	return b.request(ctx, id, func(ctx context.Context, conn *holder.Conn) error {
		return conn.Rename(ctx, label)
	})
}

// Close hangs a pane up and returns when its program has ended. Processes that
// left the pane's session may go on: the pane then stays in the list as done
// until they end, or until it is closed once more, which ends them.
func (b *Builtin) Close(ctx context.Context, id ID) error {
	changed, stop := b.Changes()
	defer stop()
	p, conn, err := b.reach(id)
	if err != nil {
		return err
	}
	wasLingering := b.lingering(p)
	asking, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err = conn.ClosePane(asking)
	if err != nil && !errors.Is(err, holder.ErrLost) { // a holder may be gone before its answer
		return fmt.Errorf("pane %s: %w", id, err)
	}
	patience := time.NewTimer(closeTimeout)
	defer patience.Stop()
	for wasLingering || !b.lingering(p) {
		select {
		case <-p.gone:
			return nil
		case <-changed:
		case <-patience.C:
			return fmt.Errorf("pane %s: %w", id, ErrStillRunning)
		case <-b.ctx.Done():
			return ErrDetached
		case <-ctx.Done():
			return fmt.Errorf("pane %s: %w: %w", id, ErrOutcomeUnknown, ctx.Err())
		}
	}
	return nil
}

func (b *Builtin) lingering(p *attachment) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.state.Lingering
}

// Watch implements [Multiplexer].
func (b *Builtin) Watch(ctx context.Context, id ID, send func(grid.Frame) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.ctx, func() { cancel(ErrDetached) })()
	if _, _, err := b.reach(id); err != nil {
		return err
	}
	for {
		err := holder.Watch(ctx, b.dir, string(id), send)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case ended(err):
			return fmt.Errorf("pane %s: %w", id, ErrNotFound)
		case !errors.Is(err, holder.ErrLost):
			return err
		}
		// Lost in between: the next connection begins with a whole screen, or
		// finds that the pane is gone.
	}
}
