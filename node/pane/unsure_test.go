package pane_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"collie/node/pane"
	"collie/node/state"
)

// Whoever asked for a pane may be gone before its holder has reported. The pane
// that then runs must not be one that nobody sees.
func TestPaneWhoseStartWasGivenUpIsListed(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	config := configOf(folder, slog.New(slog.DiscardHandler))
	// The first process starts the holder and swallows that it is ready.
	first := filepath.Join(t.TempDir(), "first")
	config.Executable = []string{"/bin/sh", "-c", `
		if mkdir "$1" 2>/dev/null; then "$0" _hold >/dev/null; exec sleep 1000; fi
		exec "$0" _hold`, os.Args[0], first}
	b := openWith(t, config)
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := b.New(ctx, pane.Spec{Command: []string{"cat"}, Cwd: "/"})
		gaveUp <- err
	}()
	changed, stop := b.Changes()
	defer stop()
	eventually(t, "the holder has a socket", func() bool { return len(sockets(t, folder)) == 1 })
	cancel()
	if err := <-gaveUp; !errors.Is(err, pane.ErrOutcomeUnknown) || !errors.Is(err, context.Canceled) {
		t.Errorf("New that was given up: %v, want that the outcome is unknown", err)
	}
	for len(b.List()) == 0 {
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("the pane runs and is not listed")
		}
	}
	if info := b.List()[0]; !alive(info.PID) {
		t.Errorf("the listed pane does not run: %+v", info)
	}
}

// A holder that hangs answers nobody; what was asked of it may still happen.
func TestCloseOfAPaneWhoseHolderHangsIsUnknown(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "cat")
	must(t, syscall.Kill(info.HolderPID, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(info.HolderPID, syscall.SIGCONT) })
	eventually(t, "every thread of the holder stops", func() bool { return stopped(t, info.HolderPID) })
	if err := b.Close(t.Context(), info.ID); !errors.Is(err, pane.ErrOutcomeUnknown) {
		t.Errorf("Close without an answer: %v, want that the outcome is unknown", err)
	}
	must(t, syscall.Kill(info.HolderPID, syscall.SIGCONT))
	eventually(t, "the pane closes once its holder goes on", func() bool { return len(b.List()) == 0 })
}

func stopped(t *testing.T, pid int) bool {
	threads, err := filepath.Glob(filepath.Join("/proc", itoa(pid), "task", "*", "stat"))
	must(t, err)
	for _, thread := range threads {
		if stat, err := os.ReadFile(thread); err == nil && !strings.Contains(string(stat), ") T ") {
			return false
		}
	}
	return len(threads) > 0
}

// A holder that ends every connection is tried more and more seldom.
func TestHolderThatEndsEveryConnectionIsTriedSeldom(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	listener, err := state.ListenUnix(folder.Path(state.Panes), "p1.sock")
	must(t, err)
	var calls atomic.Int32
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			const hello = len(`{"oldest":1,"newest":1,"role":"control"}`)
			_, _ = io.CopyN(io.Discard, conn, 5+int64(hello))
			welcome := `{"protocol":1,"pane":{"id":"p1"}}`
			_, _ = conn.Write(append([]byte{0, 0, 0, byte(len(welcome)), 64}, welcome...))
			conn.Close()
		}
	}()
	began := time.Now()
	b, err := pane.OpenBuiltin(t.Context(), configOf(folder, slog.New(slog.DiscardHandler)))
	must(t, err)
	eventually(t, "the holder is called six times", func() bool { return calls.Load() >= 6 })
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("six calls in %v, want waits of 100 and 200 ms between them", took)
	}
	must(t, b.Detach())
	must(t, listener.Close())
	<-over
}
