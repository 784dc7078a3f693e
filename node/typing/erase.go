package typing

import (
	"context"
	"errors"

	"collie/node/api"
)

// Erase empties the input that Open found, by keys that press sends. A line at a
// prompt is emptied by one; an input of several rows by as many as it takes, each
// looked at: Ctrl+U, and Backspace where that changed nothing. Until one was pressed all
// that is known of the line holds.
func (t *Text) Erase(ctx context.Context, press func(key string, still func() error) error) error {
	if !t.sight.Reading.Boxed {
		err := press("Ctrl+U", func() error { return t.unmoved(ctx) })
		if err == nil {
			t.Line.held, t.Line.stays = nil, false
		}
		return err
	}
	seen, key := t.before(), "Ctrl+U"
	for range maxErasures {
		if seen.input.Free() {
			t.Line.stays = false
			return nil
		}
		if err := press(key, func() error { return t.erasable(ctx) }); err != nil {
			return err
		}
		t.Line.held = nil
		patience := eraseTimeout
		if key == "Backspace" { // after it there is nothing else to try
			patience = stallTimeout
		}
		within, cancel := context.WithTimeout(ctx, patience)
		now, err := t.await(within, func(now shot) bool { // a box that is drawn anew is away for a moment
			return now.owned || now.input != nil && (now.text != seen.text || now.input.Rows() != seen.input.Rows())
		})
		cancel()
		switch {
		case errors.Is(err, ErrNotSeen) && key == "Ctrl+U" && ctx.Err() == nil:
			sight, err := t.By.Look(ctx, t.Pane)
			if err != nil {
				return err
			}
			if sight.Reading.Owned || sight.Reading.Input == nil { // a key would go elsewhere
				return api.ErrScreenChanged
			}
			key = "Backspace"
			continue
		case err != nil || now.owned || now.input == nil:
			return api.ErrScreenChanged
		}
		seen, key = now, "Ctrl+U"
	}
	return api.ErrScreenChanged
}

// erasable looks right before a key that erases: the same program has its input.
func (t *Text) erasable(ctx context.Context) error {
	sight, err := t.look(ctx)
	if err == nil && (!sight.Is(t.sight.Front) || sight.Reading.Owned || sight.Reading.Input == nil) {
		return api.ErrScreenChanged
	}
	return err
}
