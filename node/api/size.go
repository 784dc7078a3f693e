package api

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

// Resize is a new size for a pane, in cells. It is refused with ErrPaneOpen
// while somebody has the pane in a terminal of their own.
type Resize struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

func (h *Handlers) resize(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Resize) (Done, error) {
		return Done{true}, m.Resize(ctx, p.ByName("id"), body)
	})
}

// Resize implements [Machine].
func (c *Client) Resize(ctx context.Context, id string, size Resize) error {
	_, err := post[Done](ctx, c, panePath(id, "/resize"), size)
	return err
}
