package node

import (
	"context"
	"errors"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/pane"
	"collie/node/status"
)

// discard empties the input of a pane, while it is the one that a person saw. A line
// at a prompt is emptied by one key; an input of several rows by as many as it takes,
// each looked at.
func (l *Local) discard(ctx context.Context, id string, reply api.Reply, saw func(status.Sight) error) (api.Replied, error) {
	if reply.Text != "" || reply.Submit {
		return api.Replied{}, api.ErrBadRequest.With("discard stands alone")
	}
	return write(l, ctx, "pane.discard", id, audit.What{}, func(w *writer) (api.Replied, error) {
		defer l.node.Walky.Nudge(id)
		ctx, cancel := context.WithTimeout(ctx, lineTimeout)
		defer cancel()
		t := &typing{input: l.node.input, writer: w, id: pane.ID(id), saw: saw}
		if err := t.open(ctx); err != nil {
			return api.Replied{}, err
		}
		w.stands, w.held, w.unread = nil, nil, false
		if !t.sight.Reading.Boxed {
			w.draft = false
			return api.Replied{}, l.press(ctx, t.id, "Ctrl+U")
		}
		return api.Replied{}, l.erase(ctx, t)
	})
}

// erase presses Ctrl+U, and Backspace where that changed nothing, until the input
// is free.
func (l *Local) erase(ctx context.Context, t *typing) error {
	seen, key := t.before(), "Ctrl+U"
	for range maxErasures {
		if seen.input.Free() {
			t.writer.draft = false
			return nil
		}
		if err := l.press(ctx, t.id, key); err != nil {
			return err
		}
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
		case errors.Is(err, errNotSeen) && key == "Ctrl+U" && ctx.Err() == nil:
			sight, err := t.input.look(ctx, t.id)
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
