package daemon

import (
	"context"
	"errors"
	"strconv"
	"time"

	"collie/node/api"
	"collie/node/control"
	"collie/node/walky"
)

// walkyNext names the oldest message that its reader has not read, once there is
// one, or none when the time to wait is over. An agent waits for its own; the
// operator, also in a pane, for those of every session here.
func (d *daemon) walkyNext(ctx context.Context, call *control.Call) (any, error) {
	ms, err := strconv.ParseUint(call.Query.Get("waitMs"), 10, 31)
	if err != nil {
		return nil, api.ErrBadRequest.With("waitMs is a number of milliseconds")
	}
	reader := walky.Sender{Pane: call.Caller.Pane, Level: call.Caller.Level}
	if call.Operator() {
		reader.Pane = ""
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(ms)*time.Millisecond, control.MaxInboxWait))
	defer cancel()
	items, err := d.node.Walky.Unread(ctx, reader)
	if code := walky.Code(err); code != "" {
		refused := *api.ErrWalkyRefused
		refused.Code, refused.Message = code, err.Error()
		return nil, &refused
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // the time ran out while the panes were looked at
	}
	if err != nil || len(items) == 0 {
		return control.WalkyNext{}, err
	}
	return control.WalkyNext{ID: control.Text(items[0].ID)}, nil
}
