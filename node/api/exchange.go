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
	"time"

	"collie/node/api/sse"
)

// get reads a document, within ReadBudget.
func get[T any](ctx context.Context, c *Client, path string, query url.Values, most int) (T, error) {
	var none T
	within, cancel := context.WithTimeout(ctx, ReadBudget)
	defer cancel()
	response, err := c.roundTrip(within, http.MethodGet, path, query, nil)
	var answer T
	if err == nil {
		err = parse(response, &answer, most)
	} else {
		err = errLost
	}
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return none, ctx.Err() // it is the caller who left
	case errors.Is(err, errLost):
		return none, ErrHostUnreachable
	}
	return none, err
}

// post sends a write, within WriteBudget. One that was refused before it was
// sent is ErrHostUnreachable; one that got no answer, or an answer that cannot
// be read, is ErrOutcomeUnknown.
func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return postWithin[T](ctx, c, WriteBudget, path, body)
}

// postWithin is post for a write that may take another time.
func postWithin[T any](ctx context.Context, c *Client, budget time.Duration, path string, body any) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return none, fmt.Errorf("request to another machine: %w", err)
	}
	response, err := c.roundTrip(ctx, http.MethodPost, path, nil, data)
	return written[T](c, response, err)
}

// written reads what became of a write.
func written[T any](c *Client, response *http.Response, err error) (T, error) {
	var none T
	switch {
	case err != nil && errors.Is(err, c.Refused):
		return none, ErrHostUnreachable
	case err != nil:
		return none, ErrOutcomeUnknown
	}
	var answer T
	err = parse(response, &answer, maxPlainValues)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, errLost), errors.Is(err, ErrHostAnswer):
		return none, ErrOutcomeUnknown
	}
	return none, err
}

// errLost says that an answer did not come whole.
var errLost = errors.New("the answer was lost")

// parse reads an answer of at most so many values. Its error is errLost, or a
// refusal.
func parse(response *http.Response, answer any, most int) error {
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswerBytes+1))
	switch {
	case err != nil:
		return errLost
	case len(data) > MaxAnswerBytes:
		return ErrHostAnswer
	case response.StatusCode == http.StatusUnauthorized:
		return ErrHostUnreachable // the link's own answer: no handler saw the request
	case response.StatusCode != http.StatusOK:
		return theirs(ReadRefusal(data))
	case !decode(data, answer, most):
		return ErrHostAnswer
	}
	return nil
}

// decode parses a document of another machine, and reports whether it could and
// the document has no more values than that.
func decode(data []byte, into any, most int) bool {
	return !exceeds(data, most) && json.Unmarshal(data, into) == nil
}

// exceeds reports whether a JSON document has more values than that, keys not
// counted. It looks before anything is made of them.
func exceeds(data []byte, most int) bool {
	values, quoted := 1, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ',' || c == '[' || c == '{'):
			if values++; values > most {
				return true
			}
		}
	}
	return false
}

// ReadRefusal reads another machine's refusal. Its code picks one of our own
// sentences: no text of that machine goes on. What cannot be read is
// ErrHostAnswer.
func ReadRefusal(data []byte) error {
	var e struct {
		Code   string `json:"code"`
		Detail struct {
			TextDelivered *bool `json:"textDelivered"`
			Lines         int   `json:"lines"`
		} `json:"detail"`
	}
	err := json.Unmarshal(data, &e) // what cannot be read has no known code, and a detail of another shape is left out
	for _, known := range Codes() {
		if known.Code != e.Code {
			continue
		}
		if err == nil && e.Detail.TextDelivered != nil {
			return known.With(Replied{TextDelivered: *e.Detail.TextDelivered, Lines: min(max(e.Detail.Lines, 0), MaxReplyBytes)})
		}
		return known
	}
	return ErrHostAnswer
}

// theirs tells what went wrong on another machine from what went wrong here.
func theirs(err error) error {
	if errors.Is(err, ErrInternal) {
		return ErrHostFailed
	}
	return err
}

// stream reads events and hands them on until something fails. The time that
// each takes does not count as the other side's silence.
func (c *Client) stream(ctx context.Context, path string, each func(sse.Event) error) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(c.Quiet, cancel)
	defer quiet.Stop()
	lost := func() error {
		if ctx.Err() != nil {
			return ctx.Err() // it is the caller who left
		}
		return ErrHostUnreachable
	}
	response, err := c.roundTrip(within, http.MethodGet, path, nil, nil)
	if err != nil {
		return lost()
	}
	if response.StatusCode != http.StatusOK {
		if err = parse(response, nil, 0); errors.Is(err, errLost) {
			return lost()
		}
		return err
	}
	defer response.Body.Close()
	for events := sse.NewReader(response.Body, MaxAnswerBytes); ; {
		event, err := events.Next()
		switch {
		case errors.Is(err, sse.ErrTooLong):
			return ErrHostAnswer
		case err != nil:
			return lost()
		}
		quiet.Stop()
		if event.Name == "error" {
			return theirs(ReadRefusal(event.Data))
		}
		if err := each(event); err != nil {
			return err
		}
		quiet.Reset(c.Quiet)
	}
}

func (c *Client) roundTrip(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	request, err := c.request(ctx, method, path, query)
	if err != nil {
		return nil, err
	}
	if body != nil { // without GetBody, so that no transport sends a write twice
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		request.Header.Set("Content-Type", "application/json")
	}
	return c.Transport.RoundTrip(request)
}

// request is one without a body yet.
func (c *Client) request(ctx context.Context, method, path string, query url.Values) (*http.Request, error) {
	target := "http://crew" + c.Prefix + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		return nil, fmt.Errorf("request to another machine: %w", err)
	}
	if device := Device(ctx); device != "" {
		request.Header.Set(DeviceHeader, url.PathEscape(device))
	}
	return request, nil
}
