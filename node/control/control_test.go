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

func operator(caller.Credentials) (caller.Caller, error) {
	return caller.Caller{Level: trust.Operator, Why: "has a terminal"}, nil
}

func participant(caller.Credentials) (caller.Caller, error) {
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
		{"who cannot be placed", func(caller.Credentials) (caller.Caller, error) { return caller.Caller{}, caller.ErrEnded }, true, false, caller.ErrEnded.Error()},
		{"who has no level", func(caller.Credentials) (caller.Caller, error) { return caller.Caller{Why: "is new"}, nil }, false, false, "this process is new"},
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
	client, _, _ := serve(t, func(c caller.Credentials) (caller.Caller, error) {
		named.Store(int64(c.PID))
		return operator(c)
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

func TestNoNodeIsToldFromOtherTroubles(t *testing.T) {
	t.Parallel()
	absent := filepath.Join(t.TempDir(), "none")
	if err := control.Dial(absent).Call(deadline(t), http.MethodGet, "/x", nil, nil); !errors.Is(err, control.ErrNoNode) || !strings.Contains(err.Error(), absent) {
		t.Errorf("without a folder: %v", err)
	}
	folder := open(t)
	client := control.Dial(folder.Dir())
	if err := client.Call(deadline(t), http.MethodPost, "/x", nil, nil); !errors.Is(err, control.ErrNoNode) {
		t.Errorf("without a socket: %v", err)
	}
	stale, err := state.ListenUnix(folder.Dir(), control.SocketName)
	if err != nil {
		t.Fatal(err)
	}
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	if err := client.Call(deadline(t), http.MethodPost, "/x", nil, nil); !errors.Is(err, control.ErrNoNode) {
		t.Errorf("with a socket that nobody listens on: %v", err)
	}
	if err := os.Chmod(folder.Path(control.SocketName), 0o666); err != nil {
		t.Fatal(err)
	}
	err = client.Call(deadline(t), http.MethodPost, "/x", nil, nil)
	if !errors.Is(err, state.ErrSocketMode) || errors.Is(err, control.ErrNoNode) || errors.Is(err, control.ErrNoAnswer) {
		t.Errorf("with a socket that others may use: %v", err)
	}
}

// answerWith is a socket that answers each connection with fixed bytes.
func answerWith(t *testing.T, answer string) *control.Client {
	t.Helper()
	folder := open(t)
	listener, err := state.ListenUnix(folder.Dir(), control.SocketName)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}()
	return control.Dial(folder.Dir())
}

func TestAnAnswerThatIsNoneSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", api.MaxAnswerBytes)
	for name, test := range map[string]struct {
		answer      string
		read, write error
	}{
		"no answer":      {"", nil, control.ErrNoAnswer},
		"half an answer": {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", nil, control.ErrNoAnswer},
		"no document":    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", control.ErrAnswer, control.ErrAnswer},
		"no refusal":     {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\n{}", control.ErrAnswer, control.ErrAnswer},
		"too much":       {fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%q", len(long)+2, long), control.ErrAnswer, control.ErrAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := answerWith(t, test.answer)
			var out any
			read := client.Call(deadline(t), http.MethodGet, "/x", nil, &out)
			if read == nil || errors.Is(read, control.ErrNoAnswer) || (test.read != nil && !errors.Is(read, test.read)) {
				t.Errorf("a read: %v", read)
			}
			if write := client.Call(deadline(t), http.MethodPost, "/x", struct{}{}, &out); !errors.Is(write, test.write) {
				t.Errorf("a write: %v", write)
			}
			if strings.Contains(read.Error(), "http://") {
				t.Errorf("the error names an address that nobody typed: %v", read)
			}
		})
	}
}

func TestCloseEndsReadsAtOnceAndLetsAWriteComeToItsAnswer(t *testing.T) {
	t.Parallel()
	began, finish := make(chan string, 2), make(chan struct{})
	client, server, dir := serve(t, operator, io.Discard,
		control.Route{Method: http.MethodGet, Path: "/wait", Handle: func(ctx context.Context, _ *control.Call) (any, error) {
			began <- "read"
			<-ctx.Done()
			close(finish) // only then the write may end
			return control.OK{}, nil
		}},
		control.Route{Method: http.MethodPost, Path: "/write", Handle: func(ctx context.Context, _ *control.Call) (any, error) {
			began <- "write"
			select {
			case <-finish:
				return control.OK{OK: true}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}},
	)
	ctx := deadline(t)
	read, write := make(chan error, 1), make(chan error, 1)
	var written control.OK
	go func() { read <- client.Call(ctx, http.MethodGet, "/wait", nil, nil) }()
	go func() { write <- client.Call(ctx, http.MethodPost, "/write", struct{}{}, &written) }()
	<-began
	<-began
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-read; err != nil {
		t.Errorf("the read ended with %v", err)
	}
	if err := <-write; err != nil || !written.OK {
		t.Errorf("the write ended with %+v, %v", written, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, control.SocketName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	if err := client.Call(ctx, http.MethodGet, "/wait", nil, nil); !errors.Is(err, control.ErrNoNode) {
		t.Errorf("after it: %v", err)
	}
}

func TestCloseEndsAWriteThatGoesOn(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	client, server, _ := serve(t, operator, io.Discard, control.Route{
		Method: http.MethodPost, Path: "/write",
		Handle: func(ctx context.Context, _ *control.Call) (any, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	done := make(chan error, 1)
	go func() { done <- client.Call(context.Background(), http.MethodPost, "/write", struct{}{}, nil) }()
	<-began
	start := time.Now()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 4500*time.Millisecond {
		t.Errorf("the close took %v", took)
	}
	if err := <-done; !errors.Is(err, control.ErrNoAnswer) {
		t.Errorf("the write ended with %v", err)
	}
}

func TestConnectionsAreBoundedAndGiveTheirPlaceBack(t *testing.T) {
	t.Parallel()
	client, _, dir := serve(t, operator, io.Discard, echo)
	var idle []net.Conn
	for range 256 { // all the places there are
		conn, err := state.DialUnix(t.Context(), dir, control.SocketName)
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, conn)
	}
	// The next call waits for a place, which is given back once a connection
	// that says nothing has said nothing for too long, or closes.
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := client.Call(short, http.MethodPost, "/echo", control.PaneSend{}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beyond the bound a call ends with %v", err)
	}
	for _, conn := range idle[:2] {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := client.Call(deadline(t), http.MethodPost, "/echo", control.PaneSend{}, nil); err != nil {
		t.Errorf("with a free place: %v", err)
	}
	for _, conn := range idle[2:] {
		_ = conn.Close()
	}
}

func TestASecondServerOnTheSocketIsRefused(t *testing.T) {
	t.Parallel()
	folder := open(t)
	log := slog.New(slog.DiscardHandler)
	first, err := control.Listen(folder, operator, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.Listen(folder, operator, nil, log); !errors.Is(err, state.ErrSocketInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := first.Close(); err != nil { // nothing was served
		t.Error(err)
	}
	second, err := control.Listen(folder, operator, nil, log)
	if err != nil {
		t.Fatalf("after the first one: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
