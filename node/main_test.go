package node_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node"
	"collie/node/api"
	"collie/node/config"
	"collie/node/grid"
	"collie/node/harness/screens"
	"collie/node/pane"
	"collie/node/pane/holder"
	"collie/node/pane/origin"
	"collie/node/walky"
)

// TestMain makes the test binary the holder of its own panes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "_hold" {
		os.Exit(holder.Main(os.Stdin, os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == screens.PlayCommand {
		os.Exit(screens.Play(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == wrapCommand {
		os.Exit(wrap(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == askCommand {
		os.Exit(ask(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a condition may take on a loaded machine.
const patience = 20 * time.Second

// open returns a node in folders of its own; its panes end with the test.
func open(t testing.TB, settings ...string) *node.Node {
	t.Helper()
	return openWith(t, nil, settings...)
}

// openWith is open with limits of walky messages.
func openWith(t testing.TB, limits *walky.Limits, settings ...string) *node.Node {
	t.Helper()
	home := t.TempDir()
	environ := append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "PS1=$ "}, settings...)
	c, err := config.Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Open(t.Context(), node.Options{
		Config: c, Holder: []string{"/proc/self/exe", "_hold"}, Environ: environ, Origin: origin.Origin{Taken: true, Umask: 0o022},
		Build: "test", Walky: limits, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for _, info := range n.Panes.List() {
			if err := n.Panes.Close(ctx, info.ID); err != nil && !errors.Is(err, pane.ErrNotFound) { // it may have ended by itself
				t.Errorf("close at the end: %v", err)
			}
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// run opens a pane with a shell script and waits for a text on its screen.
func run(t testing.TB, n *node.Node, spec pane.Spec, script, until string) string {
	t.Helper()
	spec.Command = []string{"/bin/sh", "-c", script}
	spec.OpenedByOperator = true
	info, err := n.Panes.New(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	id := string(info.ID)
	waitFor(t, n, id, until)
	return id
}

// waitFor waits until a pane shows a text, wrapped or not.
func waitFor(t testing.TB, n *node.Node, id, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	seen := errors.New("seen")
	var screen grid.Screen
	err := n.Local().Live(ctx, id, func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if strings.Contains(textOf(&screen), text) {
			return seen
		}
		return nil
	})
	if !errors.Is(err, seen) {
		t.Fatalf("the pane never showed %q: %v\n%s", text, err, textOf(&screen))
	}
}

func textOf(screen *grid.Screen) string {
	var text strings.Builder
	for _, row := range screen.Rows() {
		text.WriteString(row.Text())
		if !row.Wrap {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// recorder is a file that a pane's program writes what it was given to.
func recorder(t testing.TB) (path string, read func() string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "record")
	return path, func() string {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(data)
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came: %s", what)
		}
	}
}

// refused checks the stable code of a refusal.
func refused(t testing.TB, what string, err error, want *api.Error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error is %v, want %s", what, err, want.Code)
	}
}

// cli is the operator's own command, which says nothing of a screen.
func cli(t testing.TB) context.Context {
	t.Helper()
	return node.WithVia(t.Context(), "cli")
}

// asPixel is a request of a paired phone.
func asPixel(t testing.TB) context.Context {
	t.Helper()
	return node.WithVia(api.WithDevice(t.Context(), "pixel"), "phone")
}

func screenNow(t testing.TB, n *node.Node, id string) string {
	t.Helper()
	shown, err := n.Local().Pane(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return shown.Screen
}

// submit sends a line to a pane as the operator and presses Enter.
func submit(t testing.TB, n *node.Node, id, text string) (api.Replied, error) {
	t.Helper()
	return n.Local().Reply(cli(t), id, api.Reply{Text: text, Submit: true})
}

// fromPhone is submit for what a phone shows now.
func fromPhone(t testing.TB, n *node.Node, id, text string) (api.Replied, error) {
	t.Helper()
	return n.Local().Reply(asPixel(t), id, api.Reply{Text: text, Submit: true, Screen: screenNow(t, n, id)})
}
