package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"collie/node/api/sse"
	"collie/node/grid"
	"collie/node/walky"
)

// A Client is a Machine at the other end of a crew link. It believes the other
// side nothing: an answer that is too large, cannot be read, or shows what no
// terminal shows is ErrHostAnswer, and a refusal is one of this package's own.
// Whoever merges machines still has to say whose an object is, and to mask.
type Client struct {
	// Transport sends one exchange to that machine. An error that matches
	// Refused says that nothing was sent.
	Transport http.RoundTripper
	Refused   error
	// Prefix is the path below which the routes stand, such as "/crew/v1".
	Prefix string
	// Quiet is how long a stream may say nothing, beats included; above 0.
	Quiet time.Duration
}

var _ Machine = (*Client)(nil)

// DeviceHeader carries the label of the paired device, percent-encoded.
const DeviceHeader = "Collie-Device"

func (c *Client) Snapshot(ctx context.Context) (Snapshot, error) {
	return get[Snapshot](ctx, c, "/snapshot", nil, maxHerdValues)
}

func (c *Client) Pane(ctx context.Context, id string) (Pane, error) {
	pane, err := get[Pane](ctx, c, panePath(id, ""), nil, maxScreenValues)
	if err != nil {
		return Pane{}, err
	}
	if pane.Check() != nil || len(pane.Lines) != pane.Rows {
		return Pane{}, ErrHostAnswer
	}
	return pane, nil
}

func (c *Client) History(ctx context.Context, id string, from, count int) (History, error) {
	query := url.Values{"from": {strconv.Itoa(from)}, "count": {strconv.Itoa(count)}}
	history, err := get[History](ctx, c, panePath(id, "/history"), query, maxScreenValues)
	if err != nil {
		return History{}, err
	}
	if err := history.Check(count); err != nil {
		return History{}, err
	}
	return history, nil
}

func (c *Client) Reply(ctx context.Context, id string, reply Reply) (Replied, error) {
	return post[Replied](ctx, c, panePath(id, "/reply"), reply)
}

func (c *Client) Keys(ctx context.Context, id string, keys Keys) error {
	_, err := post[Done](ctx, c, panePath(id, "/keys"), keys)
	return err
}

func (c *Client) Rename(ctx context.Context, id string, rename Rename) error {
	_, err := post[Done](ctx, c, panePath(id, "/rename"), rename)
	return err
}

func (c *Client) Close(ctx context.Context, id string) error {
	_, err := post[Done](ctx, c, panePath(id, "/close"), struct{}{})
	return err
}

func (c *Client) Walky(ctx context.Context, pane string) (Walky, error) {
	messages, err := get[Walky](ctx, c, "/walky", url.Values{"pane": {pane}}, maxWalkyValues)
	if err == nil && len(messages.Messages) > MaxWalkyMessages {
		return Walky{}, ErrHostAnswer
	}
	return messages, err
}

func (c *Client) WalkySend(ctx context.Context, message WalkySend) (WalkySent, error) {
	return post[WalkySent](ctx, c, "/walky/send", message)
}

// Events reads the herd stream until ctx ends, send fails, or the other side
// says nothing for too long.
func (c *Client) Events(ctx context.Context, send func(Event) error) error {
	return c.stream(ctx, "/events", func(e sse.Event) error {
		var event Event
		var into any
		switch e.Name {
		case "snapshot":
			event.Snapshot = &Snapshot{}
			into = event.Snapshot
		case "change":
			event.Change = &Change{}
			into = event.Change
		case "gone":
			event.Gone = &Gone{}
			into = event.Gone
		case "receipt":
			event.Receipt = &walky.Receipt{}
			into = event.Receipt
		default: // a beat, or what a later version says
			return nil
		}
		if !decode(e.Data, into, maxHerdValues) {
			return ErrHostAnswer
		}
		return send(event)
	})
}

// Live reads a pane's frames; see Machine.
func (c *Client) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	return c.stream(ctx, panePath(id, "/live"), func(e sse.Event) error {
		switch e.Name {
		case "gone":
			return ErrPaneNotFound
		case "frame":
			var frame grid.Frame
			if !decode(e.Data, &frame, maxScreenValues) || frame.Check() != nil {
				return ErrHostAnswer
			}
			return send(frame)
		default:
			return nil
		}
	})
}

func panePath(id, rest string) string { return "/pane/" + url.PathEscape(id) + rest }
