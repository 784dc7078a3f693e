package lead

import (
	"context"
	"errors"

	"collie/node/api"
)

// A view is a machine, or with an empty host the whole crew, as a phone gets it:
// its snapshot and its events are those of the merged herd, so that no phone
// opens a stream to a member for them; everything else is asked of the machine.
type view struct {
	api.Machine
	herd *herd
	host string
}

func (v view) Snapshot(context.Context) (api.Snapshot, error) {
	now, _ := v.herd.look(v.host)
	return now.seen().snapshot(), nil
}

// Pane names the machine, also where it is this one.
func (v view) Pane(ctx context.Context, id string) (api.Pane, error) {
	pane, err := v.Machine.Pane(ctx, id)
	pane.Host = v.host
	return pane, err
}

func (v view) Events(ctx context.Context, send func(api.Event) error) error {
	last, changed := v.herd.look(v.host)
	first := last.seen().snapshot()
	if err := send(api.Event{Snapshot: &first}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
		var next moment
		next, changed = v.herd.look(v.host)
		if err := sendDifference(last, next, send); err != nil {
			return err
		}
		last = next
		if !pause(ctx, herdPace) {
			return ctx.Err()
		}
	}
}

// sendDifference sends what leads from one moment to the next: all of it when
// the node became a lead or solo, since every object has another host then.
func sendDifference(last, next moment, send func(api.Event) error) error {
	if last.mode != next.mode {
		all := next.seen().snapshot()
		return send(api.Event{Snapshot: &all})
	}
	change, gone := difference(last, next)
	var err error
	if gone != nil {
		err = send(api.Event{Gone: gone})
	}
	if change != nil {
		err = errors.Join(err, send(api.Event{Change: change}))
	}
	return err
}
