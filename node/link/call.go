package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"collie/mesh"
	"collie/node/api"
	"collie/node/walky"
)

// ErrAnswer says that the other side answered something that is not an answer.
var ErrAnswer = errors.New("the other side's answer cannot be read")

// Call makes one exchange over a link, within api.WriteBudget. Its errors match
// mesh.ErrUnreachable when nothing was sent, *api.Error when the other side
// refused, and ErrAnswer when it answered something else; after any other one
// the outcome is unknown.
func Call(ctx context.Context, transport http.RoundTripper, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, api.WriteBudget)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("call %s: %w", path, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://crew"+Prefix+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("call %s: %w", path, err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("call %s: %w", path, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, api.MaxAnswerBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("call %s: the answer broke off: %w", path, err)
	case len(data) > api.MaxAnswerBytes:
		return fmt.Errorf("call %s: %w: it has more than %d bytes", path, ErrAnswer, api.MaxAnswerBytes)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("call %s: the other side answered %d: %w", path, response.StatusCode, api.ReadRefusal(data))
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("call %s: %w: %w", path, ErrAnswer, err)
	}
	return nil
}

// Send hands over the walky message of an id and returns what the other side
// says became of it. Its errors match walky.ErrNotSent when nothing was sent;
// after any other one what became of the message is unknown.
//
// The answer of an exchange is about the message of that exchange: a refusal
// that names none is of this one, because a signature that does not hold names
// no message; a receipt of another message is no answer.
func Send(ctx context.Context, transport http.RoundTripper, path, id string, message any) (walky.Receipt, error) {
	var receipt walky.Receipt
	err := Call(ctx, transport, path, message, &receipt)
	switch {
	case errors.Is(err, mesh.ErrUnreachable):
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	case err != nil:
		return walky.Receipt{}, err
	case receipt.ID == "" && receipt.State == walky.Refused:
		receipt.ID = id
	case receipt.ID != id:
		return walky.Receipt{}, fmt.Errorf("call %s: %w: it is about another message", path, ErrAnswer)
	}
	return receipt, nil
}
