// Package typing types texts into the programs of panes, and never blindly: a text is
// pasted where it is sure to land, seen there behind what stood there before, and only
// then submitted. Where the input is not seen, asks for a password, or is not what a
// person saw, nothing is typed.
//
// Whoever types holds the turn at the pane, so that texts never mix. Once Enter was
// pressed there is no way back: what is not seen to leave the input after it has an
// outcome that nobody knows, and is never typed again. The bounds are in limits.go.
package typing

import (
	"context"
	"log/slog"
	"time"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/status"
)

// Panes is what a typist needs of the panes.
type Panes interface {
	Get(id pane.ID) (pane.Info, error)
	Capabilities() pane.Capabilities
	Watch(ctx context.Context, id pane.ID, send func(grid.Frame) error) error
	Modes(ctx context.Context, id pane.ID) (pane.Modes, error)
	PasteIf(ctx context.Context, id pane.ID, text string, still func() error) error
	InputIf(ctx context.Context, id pane.ID, data []byte, still func() error) error
}

// A Typist types into panes. Every field is needed.
type Typist struct {
	Panes Panes
	Look  func(ctx context.Context, id pane.ID) (status.Sight, error)
	Log   *slog.Logger
}

// A Line is what is known of the input of a pane's program from one text to the next.
// It belongs to whoever has the turn at the pane; the zero value knows nothing.
type Line struct {
	stays   bool      // an Enter was not seen to take what stood there
	emptied time.Time // when a key last ended the line, as far as the node saw it
	held    *string   // what is typed there, in Texts that tell; nil when that is not known
}

// Pressed takes note of keys that somebody pressed, and of whether the last one
// emptied the line.
func (l *Line) Pressed(emptied bool) {
	l.held = nil
	if emptied {
		l.stays, l.emptied = false, time.Now()
	}
}

// Rest waits until the line of a program without a box stands still, where an Enter may
// have been given a moment ago, which the program has not taken yet: a text behind a
// line that is about to leave is not where it belongs. Nobody is in a hurry who calls
// it.
func (y *Typist) Rest(ctx context.Context, id pane.ID, line *Line) error {
	if !y.restless(line) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stallTimeout)
	defer cancel()
	var last *shot
	for {
		sight, err := y.Look(ctx, id)
		switch {
		case ctx.Err() != nil: // in the middle of a look
			return ErrNotSeen
		case err != nil:
			return err
		}
		now := shotIn(sight)
		if now.boxed || last != nil && now.text == last.text && now.cursor == last.cursor {
			return nil
		}
		last = &now
		if err := pause(ctx, rested); err != nil {
			return err
		}
	}
}

// restless reports whether an Enter may be on its way. In a pane into which persons
// type past the node nobody knows.
func (y *Typist) restless(line *Line) bool {
	return y.Panes.Capabilities().Shared || time.Since(line.emptied) < rested
}

// AwaitPrompt waits until a pane shows something that stands still, and not for
// long: a shell draws its prompt in pieces.
func (y *Typist) AwaitPrompt(ctx context.Context, id pane.ID) {
	ctx, cancel := context.WithTimeout(ctx, promptTimeout)
	defer cancel()
	stands := time.AfterFunc(promptTimeout, cancel)
	defer stands.Stop()
	var screen grid.Screen
	_ = y.Panes.Watch(ctx, id, func(frame grid.Frame) error { // whatever ends it, the line is typed and looked for
		if _, err := screen.Apply(frame); err != nil {
			return err
		}
		if screen.Head().Cursor.Col > 0 {
			stands.Reset(redrawn)
		}
		return nil
	})
}
