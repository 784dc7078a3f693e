package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"collie/node/api"
	"collie/node/state"
)

var (
	// ErrNoNode says that no node answers on the socket.
	ErrNoNode = errors.New("no node runs here")
	// ErrNoAnswer says that a change was asked for and no answer came.
	ErrNoAnswer = errors.New("the node did not answer; whether it was done is not known")
	// ErrAnswer says that the node answered what cannot be read.
	ErrAnswer = errors.New("the node's answer cannot be read")
)

// A Client speaks to the node of one state folder.
type Client struct {
	http http.Client
}

// Dial returns a client; nothing is connected until its first call.
func Dial(stateDir string) *Client { return DialFor(stateDir, answerTimeout) }

// DialFor is Dial for a call whose answer may take that long.
func DialFor(stateDir string, wait time.Duration) *Client {
	return &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dial(ctx, stateDir)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
				return nil, fmt.Errorf("%w (state folder %s)", ErrNoNode, stateDir)
			case err != nil:
				return nil, &unsentError{err}
			}
			return conn, nil
		},
		DisableKeepAlives:     true,
		DisableCompression:    true,
		ResponseHeaderTimeout: wait,
	}}}
}

// dial connects, for a while also while the kernel says that too many wait to be
// taken: a socket of the file system has no event for that.
func dial(ctx context.Context, stateDir string) (*net.UnixConn, error) {
	if _, err := os.Lstat(filepath.Join(stateDir, SocketName)); errors.Is(err, fs.ErrNotExist) {
		return nil, err // also where the folder is none that a node would take
	}
	until := time.Now().Add(dialTimeout)
	for {
		conn, err := state.DialUnix(ctx, stateDir, SocketName)
		if !errors.Is(err, syscall.EAGAIN) || time.Now().After(until) {
			return conn, err
		}
		select {
		case <-time.After(dialRetry):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// unsentError is why a call was not sent.
type unsentError struct{ error }

func (e *unsentError) Unwrap() error { return e.error }

// Call asks one thing. It returns an error that wraps ErrNoNode when there is
// no node, ErrNoAnswer when what became of a change is not known, ErrAnswer for
// an answer that is none, and an *api.Error for a refusal. In is nil for a read;
// out may be nil.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	response, err := c.send(ctx, method, path, in, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return answered(method, response, out)
}

func (c *Client) send(ctx context.Context, method, path string, in any, header http.Header) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("ask the node: %w", err)
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://node"+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the node: %w", err)
	}
	maps.Copy(request.Header, header)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, notAnswered(method, err)
	}
	return response, nil
}

// answered reads an answer into out, which may be nil.
func answered(method string, response *http.Response, out any) error {
	data, err := io.ReadAll(io.LimitReader(response.Body, api.MaxAnswerBytes+1))
	switch {
	case err != nil:
		return notAnswered(method, err)
	case len(data) > api.MaxAnswerBytes:
		return fmt.Errorf("%w: it has more than %d bytes", ErrAnswer, api.MaxAnswerBytes)
	case response.StatusCode != http.StatusOK:
		refused := &api.Error{}
		if json.Unmarshal(data, refused) != nil || refused.Code == "" {
			return fmt.Errorf("%w: status %s", ErrAnswer, response.Status)
		}
		refused.Status = response.StatusCode
		return refused
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return nil
}

// notAnswered says what it means that an exchange failed.
func notAnswered(method string, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // its own words name an address that nobody typed
	}
	var unsent *unsentError
	switch {
	case errors.Is(err, ErrNoNode):
		return err
	case method == http.MethodGet, errors.As(err, &unsent):
		return fmt.Errorf("ask the node: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}
