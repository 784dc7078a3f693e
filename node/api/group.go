package api

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

// Relabel is a new label for a tab or a workspace.
type Relabel struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

func (h *Handlers) tab(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Relabel) (Done, error) {
		return Done{true}, m.RenameTab(ctx, body.ID, Rename{Label: body.Label})
	})
}

func (h *Handlers) workspace(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Relabel) (Done, error) {
		return Done{true}, m.RenameWorkspace(ctx, body.ID, Rename{Label: body.Label})
	})
}

// RenameTab implements [Machine].
func (c *Client) RenameTab(ctx context.Context, tab string, rename Rename) error {
	_, err := post[Done](ctx, c, "/tab", Relabel{tab, rename.Label})
	return err
}

// RenameWorkspace implements [Machine].
func (c *Client) RenameWorkspace(ctx context.Context, workspace string, rename Rename) error {
	_, err := post[Done](ctx, c, "/workspace", Relabel{workspace, rename.Label})
	return err
}
