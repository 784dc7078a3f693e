package control_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node/api"
	"collie/node/caller"
	"collie/node/control"
	"collie/node/state"
	"collie/node/trust"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a condition may take on a loaded machine.
const patience = 20 * time.Second

func operator(context.Context, caller.Credentials) (caller.Caller, error) {
	return caller.Caller{Level: trust.Operator, Why: "has a terminal"}, nil
}

func participant(context.Context, caller.Credentials) (caller.Caller, error) {
	return caller.Caller{Level: trust.Participant, Pane: "p1", Why: "shares its pane with an agent"}, nil
}

// open returns a state folder.
func open(t *testing.T) *state.Folder {
	t.Helper()
	folder, err := state.Open(filepath.Join(t.TempDir(), "state"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := folder.Close(); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// serve answers routes for a resolver until the test ends.
func serve(t *testing.T, resolve control.Resolve, log io.Writer, routes ...control.Route) (*control.Client, *control.Server, string) {
	t.Helper()
	folder := open(t)
	server, err := control.Listen(folder, resolve, routes, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return control.Dial(folder.Dir()), server, folder.Dir()
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// refusal returns the refusal in an error, or fails.
func refusal(t *testing.T, err error, want *api.Error) *api.Error {
	t.Helper()
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != want.Code || refused.Status != want.Status {
		t.Fatalf("the error is %#v, want %s", err, want.Code)
	}
	return refused
}

func TestTheGateStandsBeforeEveryRoute(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		who     string
		resolve control.Resolve
		anyone  bool
		let     bool
		why     string
	}{
		{"an operator", operator, false, true, ""},
		{"an operator", operator, true, true, ""},
		{"a participant", participant, true, true, ""},
		{"a participant", participant, false, false, "this process shares its pane with an agent"},
		{"who cannot be placed", func(context.Context, caller.Credentials) (caller.Caller, error) {
			return caller.Caller{}, caller.ErrEnded
		}, true, false, caller.ErrEnded.Error()},
		{"who has no level", func(context.Context, caller.Credentials) (caller.Caller, error) {
			return caller.Caller{Why: "is new"}, nil
		}, false, false, "this process is new"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(fmt.Sprintf("%s, %s, anyone %v", test.who, method, test.anyone), func(t *testing.T) {
				t.Parallel()
				var ran atomic.Int32
				client, _, _ := serve(t, test.resolve, io.Discard, control.Route{
					Method: method, Path: "/thing/:id", Anyone: test.anyone,
					Handle: func(_ context.Context, call *control.Call) (any, error) {
						ran.Add(1)
						return control.ID{ID: call.Param("id") + call.Query.Get("q")}, nil
					},
				})
				var answer control.ID
				err := client.Call(deadline(t), method, "/thing/a?q=b", nil, &answer)
				if test.let {
					if err != nil || answer.ID != "ab" {
						t.Errorf("answered %+v, %v", answer, err)
					}
					return
				}
				if refused := refusal(t, err, api.ErrNotAllowed); refused.Detail != test.why {
					t.Errorf("the detail is %v, want %q", refused.Detail, test.why)
				}
				if ran.Load() != 0 {
					t.Error("the route ran all the same")
				}
			})
		}
	}
}

func TestTheCallerIsTheProcessThatTheKernelNames(t *testing.T) {
	t.Parallel()
	var named atomic.Int64
	client, _, _ := serve(t, func(ctx context.Context, c caller.Credentials) (caller.Caller, error) {
		named.Store(int64(c.PID))
		return operator(ctx, c)
	}, io.Discard, control.Route{Method: http.MethodGet, Path: "/x", Handle: func(context.Context, *control.Call) (any, error) { return control.OK{OK: true}, nil }})
	if err := client.Call(deadline(t), http.MethodGet, "/x", nil, nil); err != nil || named.Load() != int64(os.Getpid()) {
		t.Errorf("the caller is %d, not %d (%v)", named.Load(), os.Getpid(), err)
	}
}

// echo answers what it was sent.
var echo = control.Route{Method: http.MethodPost, Path: "/echo", Handle: func(_ context.Context, call *control.Call) (any, error) {
	var request control.PaneSend
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return request, nil
}}

func TestBodiesAreStrictAndBounded(t *testing.T) {
	t.Parallel()
	_, _, dir := serve(t, operator, io.Discard, echo)
	raw := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return state.DialUnix(ctx, dir, control.SocketName)
		},
	}}
	for body, want := range map[string]string{
		`{"text":"a","enter":true}`: `{"text":"a","enter":true}`,
		``:                          `{"text":""}`,
		`{"text":"a","texts":"b"}`:  api.ErrBadRequest.Code,
		`{"text":1}`:                api.ErrBadRequest.Code,
		`{"text":"a"}{}`:            api.ErrBadRequest.Code,
		`{"text":"a"`:               api.ErrBadRequest.Code,
		`{"text":"` + strings.Repeat("a", api.MaxRequestBytes) + `"}`: api.ErrTooLarge.Code,
	} {
		response, err := raw.Post("http://node/echo", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("%.40s is answered by %s (%v), want %s", body, answer, err, want)
		}
	}
}

func TestRefusalsKeepCodeSentenceAndDetail(t *testing.T) {
	t.Parallel()
	client, _, _ := serve(t, operator, io.Discard, control.Route{
		Method: http.MethodGet, Path: "/no",
		Handle: func(context.Context, *control.Call) (any, error) {
			return nil, fmt.Errorf("wrapped: %w", api.ErrPaneGone.On("juno").With("it was closed"))
		},
	})
	refused := refusal(t, client.Call(deadline(t), http.MethodGet, "/no", nil, nil), api.ErrPaneGone)
	if refused.Message != api.ErrPaneGone.Message || refused.Host != "juno" || refused.Detail != "it was closed" {
		t.Errorf("the refusal is %+v", refused)
	}
	refusal(t, client.Call(deadline(t), http.MethodGet, "/nothing", nil, nil), api.ErrNotFound)
	refusal(t, client.Call(deadline(t), http.MethodPost, "/no", nil, nil), api.ErrMethodNotAllowed)
}

func TestWhatGoesWrongInsideIsLoggedAndNotTold(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	client, _, _ := serve(t, operator, &log,
		control.Route{Method: http.MethodGet, Path: "/fails", Handle: func(context.Context, *control.Call) (any, error) {
			return nil, errors.New("/private/path: disk full")
		}},
		control.Route{Method: http.MethodGet, Path: "/panics", Handle: func(context.Context, *control.Call) (any, error) { panic("oops") }},
	)
	for path, logged := range map[string]string{"/fails": "disk full", "/panics": "oops"} {
		refused := refusal(t, client.Call(deadline(t), http.MethodGet, path, nil, nil), api.ErrInternal)
		if refused.Detail != nil || !strings.Contains(log.String(), logged) {
			t.Errorf("%s: told %+v, logged\n%s", path, refused, log.String())
		}
	}
}

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
