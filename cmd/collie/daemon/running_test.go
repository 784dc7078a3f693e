package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/config"
	"collie/node/control"
	"collie/node/pane/holder"
	"collie/node/pane/origin"
)

// TestMain makes the test binary the holder of its own panes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "_hold" {
		os.Exit(holder.Main(os.Stdin, os.Stdout))
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a condition may take on a loaded machine.
const patience = 30 * time.Second

// A running is a node that runs in this process.
type running struct {
	home   string
	client *control.Client
	log    *lines
	stop   func() error // ends the node, once, and returns what Run did
}

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// begin runs a node in a folder until the test ends.
func begin(t testing.TB, home string, settings ...string) *running {
	t.Helper()
	n, err := try(t, home, settings...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// try runs a node and waits until it serves or has ended.
func try(t testing.TB, home string, settings ...string) (*running, error) {
	t.Helper()
	return tryWith(t, Options{}, home, settings...)
}

// tryWith is try with options of the test's own.
func tryWith(t testing.TB, o Options, home string, settings ...string) (*running, error) {
	t.Helper()
	environ := append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "PS1=$ ", "COLLIE_PORT=0", "COLLIE_MESH_LISTEN=127.0.0.1:0",
	}, settings...)
	c, err := config.Load(environ)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := &running{home: home, client: control.Dial(c.Get("COLLIE_STATE_DIR")), log: &lines{}}
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		o.Config, o.Holder, o.Environ, o.Origin = c, []string{"/proc/self/exe", "_hold"}, environ, origin.Origin{Taken: true, Umask: 0o022}
		o.Build, o.Log, o.Ready = "test", slog.New(slog.NewTextHandler(n.log, nil)), func(control.Status) { close(ready) }
		done <- Run(ctx, o)
	}()
	n.stop = sync.OnceValue(func() error {
		closePanes(t, n.client)
		began := time.Now()
		cancel()
		err := <-done
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the stop took %v", took)
		}
		return err
	})
	select {
	case <-ready:
		t.Cleanup(func() {
			if err := n.stop(); err != nil {
				t.Errorf("the node ended with %v\n%s", err, n.log)
			}
		})
		return n, nil
	case err := <-done:
		cancel()
		return nil, err
	case <-time.After(patience):
		cancel()
		t.Fatalf("the node does not serve:\n%s", n.log)
		return nil, nil
	}
}

func closePanes(t testing.TB, client *control.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var panes []control.Pane
	if err := client.Call(ctx, http.MethodGet, "/panes", nil, &panes); err != nil {
		t.Error(err)
	}
	for _, p := range panes {
		if err := client.Call(ctx, http.MethodPost, "/panes/"+url.PathEscape(p.ID)+"/close", struct{}{}, nil); err != nil {
			t.Error(err)
		}
	}
}

func (n *running) call(t testing.TB, method, path string, in, out any) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return n.client.Call(ctx, method, path, in, out)
}

func get[T any](t testing.TB, n *running, path string) (document T) {
	t.Helper()
	if err := n.call(t, http.MethodGet, path, nil, &document); err != nil {
		t.Fatalf("GET %s: %v\n%s", path, err, n.log)
	}
	return document
}

func post[T any](t testing.TB, n *running, path string, in any) (document T) {
	t.Helper()
	if err := n.call(t, http.MethodPost, path, in, &document); err != nil {
		t.Fatalf("POST %s: %v\n%s", path, err, n.log)
	}
	return document
}

// refused checks the stable code of a refusal and returns its detail.
func refused(t testing.TB, what string, err error, want *api.Error) string {
	t.Helper()
	var refusal *api.Error
	if !errors.As(err, &refusal) || refusal.Code != want.Code {
		t.Errorf("%s: %v, want %s", what, err, want.Code)
		return ""
	}
	return fmt.Sprint(refusal.Detail)
}

func (n *running) state(name string) string {
	return filepath.Join(n.home, ".local/state/collie", name)
}

// leavesNothing checks that what only a running node has is gone.
func (n *running) leavesNothing(t testing.TB) {
	t.Helper()
	for _, name := range []string{localSecretName, control.SocketName} {
		if n.has(t, name) {
			t.Errorf("%s is left", name)
		}
	}
}

func (n *running) has(t testing.TB, name string) bool {
	t.Helper()
	_, err := os.Lstat(n.state(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came: %s", what)
		}
	}
}

// solo checks that a node has nothing of a crew.
func solo(t *testing.T, n *running) {
	t.Helper()
	status := get[control.Status](t, n, "/status")
	if status.Mode != "solo" || status.Mesh.Listen != "" || status.Crew != nil || len(status.Trouble) > 0 {
		t.Errorf("the node is not solo: %+v", status)
	}
	for _, name := range []string{trust.FileName, trust.IdentityFileName, resetKeyName, addressesName} {
		if n.has(t, name) {
			t.Errorf("a solo node has %s", name)
		}
	}
}

// stacks is what every goroutine does.
func stacks() string {
	buffer := make([]byte, 4<<20)
	return string(buffer[:runtime.Stack(buffer, true)])
}
