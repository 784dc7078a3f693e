package frontdoor

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/api"
	"collie/node/api/sse"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// serve opens the door on a port of its own until the test ends or stop is
// called, which returns how long it took.
func (f *fixture) serve() (address string, stop func() time.Duration) {
	f.t.Helper()
	f.config.Port = 0
	listener, err := Listen(f.t.Context(), f.config)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx, listener) }()
	var took time.Duration
	stopped := false
	stop = func() time.Duration {
		if !stopped {
			stopped = true
			start := time.Now()
			cancel()
			if err := <-served; err != nil {
				f.t.Errorf("serve: %v", err)
			}
			took = time.Since(start)
		}
		return took
	}
	f.t.Cleanup(func() { stop() })
	return listener.Addr().String(), stop
}

func (f *fixture) client(transport *http.Transport) *http.Client {
	f.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// request is one as a page at address would send it.
func (f *fixture) request(method, url, token string) *http.Request {
	f.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, url, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// beating is a route that streams beats until its request ends, and says so.
func beating(ended chan<- error) api.Route {
	return api.Route{Method: "GET", Path: "/beats", Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		out := sse.NewWriter(w)
		if out.Send("snapshot", 1, []byte("{}")) == nil {
			_ = out.Beat(r.Context(), time.Hour, func() []byte { return []byte("{}") })
		}
		ended <- r.Context().Err()
	}}
}

// flooding is a route that sends as much as is taken.
func flooding(ended chan<- error) api.Route {
	return api.Route{Method: "GET", Path: "/flood", Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		out, data := sse.NewWriter(w), []byte(strings.Repeat("x", 64<<10))
		for r.Context().Err() == nil {
			if err := out.Send("frame", 1, data); err != nil {
				break
			}
		}
		ended <- r.Context().Err()
	}}
}

func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing happened", what)
		panic("unreachable")
	}
}

func TestAStreamEndsWhenItsDeviceIsRevoked(t *testing.T) {
	t.Parallel()
	h1, h2 := new(http.Protocols), new(http.Protocols)
	h1.SetHTTP1(true)
	h2.SetUnencryptedHTTP2(true)
	for _, test := range []struct {
		path      string
		protocols *http.Protocols
	}{{"/api/beats", h1}, {"/api/flood", h1}, {"/api/beats", h2}, {"/api/flood", h2}} { // the phone takes nothing of the flood
		path, ended := test.path, make(chan error, 1)
		f := newFixture(t, func(f *fixture) { f.parts.Routes = []api.Route{beating(ended), flooding(ended)} })
		address, _ := f.serve()
		token := f.pair("pixel", 0)
		response, err := f.client(&http.Transport{Protocols: test.protocols}).Do(f.request("GET", "http://"+address+path, token))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || line != "id: 1\n" {
			t.Fatalf("%s: %q, %v", path, line, err)
		}
		if err := f.devices.Revoke(t.Context(), "pixel"); err != nil {
			t.Fatal(err)
		}
		await(t, path, ended)
		_ = response.Body.Close()
	}
}

func TestAStreamEndsWhenTheNodeBecomesAMember(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	f := newFixture(t, func(f *fixture) { f.parts.Routes = []api.Route{beating(ended)} })
	address, _ := f.serve()
	response, err := f.client(&http.Transport{}).Do(f.request("GET", "http://"+address+"/api/beats", f.pair("pixel", 0)))
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.mode = Mode{Name: "member", Lead: "lounge"}
	f.mu.Unlock()
	await(t, "stream", ended)
	_ = response.Body.Close()
}

func TestTheDoorClosesThoughStreamsAreOpen(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 2)
	f := newFixture(t, func(f *fixture) { f.parts.Routes = []api.Route{beating(ended), flooding(ended)} })
	address, stop := f.serve()
	client := f.client(&http.Transport{})
	for _, path := range []string{"/api/beats", "/api/flood"} {
		response, err := client.Do(f.request("GET", "http://"+address+path, f.pair(path[5:], 0)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
	}
	if took := stop(); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
	for range 2 {
		if err := await(t, "stream", ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a stream ended with %v", err)
		}
	}
}

func TestAWriteComesToItsAnswerWhileTheDoorCloses(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	f := newFixture(t, func(f *fixture) {
		f.parts.Routes = []api.Route{{Method: "POST", Path: "/slow", Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
			close(begun)
			<-goOn
			if err := r.Context().Err(); err != nil {
				api.WriteError(w, err)
				return
			}
			api.WriteJSON(w, api.Done{OK: true})
		}}}
	})
	address, stop := f.serve()
	token := f.pair("pixel", 0)
	status := make(chan int, 1)
	client := f.client(&http.Transport{})
	go func() {
		response, err := client.Do(f.request("POST", "http://"+address+"/api/slow", token))
		if err != nil {
			status <- 0
			return
		}
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	await(t, "begin", begun)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	for { // until nobody is let in any more
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(goOn)
	if got := await(t, "answer", status); got != 200 {
		t.Errorf("the write answered %d", got)
	}
	await(t, "stop", stopped)
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, _ := f.serve()
	r := f.request("GET", "http://"+address+"/api/health", "")
	r.Header.Set("X-Large", strings.Repeat("x", 40<<10))
	response, err := f.client(&http.Transport{}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
}

func TestOptionsForTheServerPassTheGates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, _ := f.serve()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 403 ") || !strings.Contains(string(answer), "host_refused") {
		t.Errorf("answer %q, %v", answer, err)
	}
}
