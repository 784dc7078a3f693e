package node

import (
	"context"
	"errors"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/typing"
)

// discard empties the input of a pane, while it is the one that a person saw.
func (l *Local) discard(ctx context.Context, id string, reply api.Reply, saw func(status.Sight) error) (api.Replied, error) {
	if reply.Text != "" || reply.Submit {
		return api.Replied{}, api.ErrBadRequest.With("discard stands alone")
	}
	return write(l, ctx, "pane.discard", id, audit.What{}, func(w *writer) (api.Replied, error) {
		defer l.node.Walky.Nudge(id)
		ctx, cancel := context.WithTimeout(ctx, typing.Budget)
		defer cancel()
		t := l.node.text(w, pane.ID(id))
		t.Saw = saw
		if err := t.Open(ctx); err != nil {
			return api.Replied{}, err
		}
		return api.Replied{}, t.Erase(ctx, func(key string, still func() error) error {
			err := l.press(ctx, t.Pane, key, still)
			if err == nil || errors.Is(err, pane.ErrOutcomeUnknown) {
				w.stands, w.unread = nil, false
			}
			return err
		})
	})
}
