package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"collie/node/api/sse"
	"collie/node/grid"
	"collie/node/walky"
)

// Budgets of one exchange with another machine.
const (
	ReadBudget  = 5 * time.Second
	WriteBudget = 10 * time.Second
)

// A Client is a Machine at the other end of a crew link.
type Client struct {
	// Transport sends one exchange to that machine. An error that matches
	// Refused says that nothing was sent.
	Transport http.RoundTripper
	Refused   error
	// Prefix is the path below which the routes stand, such as "/crew/v1".
	Prefix string
	// Quiet is how long a stream may say nothing, beats included.
	Quiet time.Duration
}

var _ Machine = (*Client)(nil)

// DeviceHeader carries the label of the paired device, percent-encoded.
const DeviceHeader = "Collie-Device"

func (c *Client) Snapshot(ctx context.Context) (s Snapshot, err error) {
	return s, c.get(ctx, "/snapshot", nil, &s)
}

func (c *Client) Pane(ctx context.Context, id string) (p Pane, err error) {
	if err = c.get(ctx, "/pane/"+url.PathEscape(id), nil, &p); err != nil {
		return Pane{}, err
	}
	if err = p.Check(); err != nil || len(p.Lines) != p.Rows {
		return Pane{}, ErrHostAnswer
	}
	return p, nil
}

func (c *Client) History(ctx context.Context, id string, from, count int) (h History, err error) {
	query := url.Values{"from": {strconv.Itoa(from)}, "count": {strconv.Itoa(count)}}
	if err = c.get(ctx, "/pane/"+url.PathEscape(id)+"/history", query, &h); err == nil && len(h.Rows) > count {
		return History{}, ErrHostAnswer
	}
	return h, err
}

func (c *Client) Reply(ctx context.Context, id string, reply Reply) (r Replied, err error) {
	return r, c.post(ctx, "/pane/"+url.PathEscape(id)+"/reply", reply, &r)
}

func (c *Client) Keys(ctx context.Context, id string, keys Keys) error {
	return c.post(ctx, "/pane/"+url.PathEscape(id)+"/keys", keys, &Done{})
}

func (c *Client) Rename(ctx context.Context, id string, rename Rename) error {
	return c.post(ctx, "/pane/"+url.PathEscape(id)+"/rename", rename, &Done{})
}

func (c *Client) Close(ctx context.Context, id string) error {
	return c.post(ctx, "/pane/"+url.PathEscape(id)+"/close", struct{}{}, &Done{})
}

func (c *Client) Walky(ctx context.Context, pane string) (w Walky, err error) {
	if err = c.get(ctx, "/walky", url.Values{"pane": {pane}}, &w); err == nil && len(w.Messages) > MaxWalkyMessages {
		w.Messages = w.Messages[:MaxWalkyMessages]
	}
	return w, err
}

func (c *Client) WalkySend(ctx context.Context, message WalkySend) (w WalkySent, err error) {
	return w, c.post(ctx, "/walky/send", message, &w)
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
		default:
			return nil
		}
		if err := json.Unmarshal(e.Data, into); err != nil {
			return ErrHostAnswer
		}
		return send(event)
	})
}

// Live reads a pane's frames; see Machine.
func (c *Client) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	return c.stream(ctx, "/pane/"+url.PathEscape(id)+"/live", func(e sse.Event) error {
		switch e.Name {
		case "gone":
			return ErrPaneNotFound
		case "frame":
			var frame grid.Frame
			if err := json.Unmarshal(e.Data, &frame); err != nil {
				return ErrHostAnswer
			}
			return send(frame)
		default:
			return nil
		}
	})
}

func (c *Client) get(ctx context.Context, path string, query url.Values, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, ReadBudget)
	defer cancel()
	response, err := c.roundTrip(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return ErrHostUnreachable
	}
	return parse(response, answer, ErrHostUnreachable)
}

// post sends a write. One that was refused before it was sent is unreachable;
// one that got no answer, or an answer that cannot be read, is unknown.
func (c *Client) post(ctx context.Context, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, WriteBudget)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := c.roundTrip(ctx, http.MethodPost, path, nil, data)
	if err != nil {
		if c.Refused != nil && errors.Is(err, c.Refused) {
			return ErrHostUnreachable
		}
		return ErrOutcomeUnknown
	}
	return parse(response, answer, ErrOutcomeUnknown)
}

// parse reads an answer; without one it returns lost.
func parse(response *http.Response, answer any, lost *Error) error {
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswerBytes+1))
	switch {
	case err != nil:
		return lost
	case len(data) > MaxAnswerBytes:
		return ErrHostAnswer
	case response.StatusCode != http.StatusOK:
		return ReadRefusal(data)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return ErrHostAnswer
	}
	return nil
}

// ReadRefusal reads another machine's refusal. Its code picks one of our own
// sentences: no text of that machine goes on.
func ReadRefusal(data []byte) error {
	var e struct {
		Code   string `json:"code"`
		Detail struct {
			TextDelivered *bool `json:"textDelivered"`
		} `json:"detail"`
	}
	_ = json.Unmarshal(data, &e) // what cannot be read has no known code; a detail of another shape is left out
	for _, known := range Codes() {
		if known.Code != e.Code {
			continue
		}
		if e.Detail.TextDelivered != nil {
			return known.With(Replied{TextDelivered: *e.Detail.TextDelivered})
		}
		return known
	}
	return ErrHostAnswer
}

// stream reads events and hands them on until something fails.
func (c *Client) stream(ctx context.Context, path string, each func(sse.Event) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(c.Quiet, func() { cancel(ErrHostUnreachable) })
	defer quiet.Stop()
	response, err := c.roundTrip(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return ErrHostUnreachable
	}
	if response.StatusCode != http.StatusOK {
		return parse(response, nil, ErrHostUnreachable)
	}
	defer response.Body.Close()
	for events := sse.NewReader(response.Body, MaxAnswerBytes); ; {
		event, err := events.Next()
		switch {
		case errors.Is(err, sse.ErrTooLong):
			return ErrHostAnswer
		case err != nil:
			if ctx.Err() != nil && !errors.Is(context.Cause(ctx), ErrHostUnreachable) {
				return ctx.Err()
			}
			return ErrHostUnreachable
		}
		quiet.Reset(c.Quiet)
		if event.Name == "error" {
			return ReadRefusal(event.Data)
		}
		if err := each(event); err != nil {
			return err
		}
	}
}

func (c *Client) roundTrip(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	target := "http://crew" + c.Prefix + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, target, reader)
	if err != nil {
		return nil, fmt.Errorf("request to another machine: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if device := Device(ctx); device != "" {
		request.Header.Set(DeviceHeader, url.PathEscape(device))
	}
	return c.Transport.RoundTrip(request)
}
