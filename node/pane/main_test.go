package pane_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/holder"
	"collie/node/pane/origin"
	"collie/node/state"
)

// TestMain makes the test binary what collie is for a node: the holder, and for
// the tests that kill a node, the node.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "_hold":
			os.Exit(holder.Main(os.Stdin, os.Stdout))
		case "_node":
			os.Exit(runNode(os.Args[2]))
		}
	}
	// The race detector would hold up the end of each process for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

// patience is how long a condition may take on a loaded machine.
const patience = 20 * time.Second

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func configOf(folder *state.Folder, log *slog.Logger) pane.BuiltinConfig {
	return pane.BuiltinConfig{
		Folder: folder, Executable: []string{"/proc/self/exe", "_hold"}, Socket: folder.Path("control.sock"),
		Environ: append(os.Environ(), "COLLIE_SECRET=x", "SHELL=/bin/sh", "PS1=$ "), Origin: origin.Origin{Taken: true, Umask: 0o022},
		Rand: rand.Reader, Log: log,
	}
}

// open returns a multiplexer in a new state folder; its panes end with the test.
func open(t testing.TB) *pane.Builtin {
	t.Helper()
	return openIn(t, newFolder(t))
}

func newFolder(t testing.TB) *state.Folder {
	t.Helper()
	folder, err := state.Open(filepath.Join(t.TempDir(), "state"), slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, folder.Close()) })
	return folder
}

func openIn(t testing.TB, folder *state.Folder) *pane.Builtin {
	t.Helper()
	return openWith(t, configOf(folder, slog.New(slog.DiscardHandler)))
}

func openWith(t testing.TB, config pane.BuiltinConfig) *pane.Builtin {
	t.Helper()
	b, err := pane.OpenBuiltin(t.Context(), config)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for _, info := range b.List() {
			err := b.Close(ctx, info.ID)
			for errors.Is(err, pane.ErrAway) && ctx.Err() == nil { // its holder is about to be found gone
				time.Sleep(10 * time.Millisecond)
				err = b.Close(ctx, info.ID)
			}
			if err != nil && !errors.Is(err, pane.ErrDetached) && !errors.Is(err, pane.ErrNotFound) {
				t.Errorf("close at the end: %v", err)
			}
		}
		must(t, b.Detach())
	})
	return b
}

func start(t testing.TB, b *pane.Builtin, command ...string) pane.Info {
	t.Helper()
	info, err := b.New(t.Context(), pane.Spec{Command: command, Cwd: "/"})
	must(t, err)
	return info
}

// await watches a pane until its screen is as wanted, and returns that screen.
func await(t testing.TB, b *pane.Builtin, id pane.ID, want func(*grid.Screen) bool) *grid.Screen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	found := errors.New("found")
	screen := new(grid.Screen)
	err := b.Watch(ctx, id, func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if want(screen) {
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("pane %s never looked as wanted: %v\n%s", id, err, text(screen))
	}
	return screen
}

func text(s *grid.Screen) string {
	var lines []string
	for _, row := range s.Rows() {
		lines = append(lines, row.Text())
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func shows(part string) func(*grid.Screen) bool {
	return func(s *grid.Screen) bool { return strings.Contains(text(s), part) }
}

// awaitInfo waits until a pane's Info is as wanted.
func awaitInfo(t testing.TB, b *pane.Builtin, id pane.ID, want func(pane.Info) bool) pane.Info {
	t.Helper()
	changed, stop := b.Changes()
	defer stop()
	timeout := time.After(patience)
	for {
		info, err := b.Get(id)
		must(t, err)
		if want(info) {
			return info
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("pane %s never became as wanted: %+v", id, info)
		}
	}
}

// eventually waits for what nobody signals, such as the end of a process.
func eventually(t testing.TB, what string, want func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !want() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))[0]
	return state != "Z" && state != "X"
}

// runNode is a node in a process of its own: it opens the panes that stdin names, one
// shell command a line, prints each id, and waits to be killed.
func runNode(dir string) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	folder, err := state.Open(dir, log)
	if err != nil {
		log.Error("open", "error", err)
		return 1
	}
	b, err := pane.OpenBuiltin(context.Background(), configOf(folder, log))
	if err != nil {
		log.Error("open", "error", err)
		return 1
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		info, err := b.New(context.Background(), pane.Spec{
			Command: []string{"/bin/sh", "-c", lines.Text()}, Cwd: "/", Label: "label " + lines.Text(),
			Harness: "agent", OpenedByOperator: true,
		})
		if err != nil {
			log.Error("new", "error", err)
			return 1
		}
		fmt.Println(info.ID)
	}
	return 0
}

// node starts runNode; ids come on the channel-like reader that is returned.
func node(t *testing.T, dir string) (*exec.Cmd, func(command string) pane.ID) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "_node", dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	said := bufio.NewScanner(stdout)
	return cmd, func(command string) pane.ID {
		t.Helper()
		if _, err := fmt.Fprintln(stdin, command); err != nil {
			t.Fatal(err)
		}
		if !said.Scan() {
			t.Fatalf("the node said nothing: %v", said.Err())
		}
		id, err := pane.ParseID(said.Text())
		must(t, err)
		return id
	}
}

func itoa(n int) string { return fmt.Sprint(n) }
