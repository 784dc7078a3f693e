package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"collie/node/api"
	"collie/node/state"
)

// ErrNoNode is returned when no node answers on the socket.
var ErrNoNode = errors.New("no node runs here")

// A Client speaks to the node of one state folder.
type Client struct {
	http http.Client
}

// Dial returns a client; nothing is connected until its first call.
func Dial(stateDir string) *Client {
	return &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := state.DialUnix(ctx, stateDir, SocketName)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrNoNode, err)
			}
			return conn, nil
		},
		DisableKeepAlives:     true,
		DisableCompression:    true,
		ResponseHeaderTimeout: 2 * time.Minute, // a call may wait for a receipt
	}}}
}

// Call asks one thing. It returns ErrNoNode when there is no node, and an
// *api.Error for a refusal. In is nil for a read; out may be nil.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("ask the node: %w", err)
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://node"+path, body)
	if err != nil {
		return fmt.Errorf("ask the node: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask the node: %w", err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, api.MaxAnswerBytes))
	if err != nil {
		return fmt.Errorf("read the node's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		refused := &api.Error{}
		if json.Unmarshal(data, refused) != nil || refused.Code == "" {
			return fmt.Errorf("the node answered %s", response.Status)
		}
		refused.Status = response.StatusCode
		return refused
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("read the node's answer: %w", err)
	}
	return nil
}
