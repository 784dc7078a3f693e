// Package conformance is what every multiplexer has to do, as tests that run it
// against the real thing: real programs in real terminals. Each adapter's tests
// call Run. What only some can do is asked of Capabilities, and a capability that
// is lacking has to be an answer.
package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/node/grid"
	"collie/node/pane"
)

// patience is how long a condition may take on a loaded machine.
const patience = 30 * time.Second

// Open opens the multiplexer under test; once more in the same test, it is the
// next node that finds the panes of the one before. What it opens is let go of,
// and the panes end, with the test.
type Open func(t testing.TB) pane.Multiplexer

// Run runs the suite. fresh prepares a place for panes, which no other test sees.
func Run(t *testing.T, fresh func(t testing.TB) Open) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s *suite)
	}{
		{"a new pane is listed, and everybody hears of it", testNew},
		{"what cannot be a pane is refused and leaves nothing", testRefusals},
		{"a pane that is not there is not found", testNotFound},
		{"what is typed arrives, each byte", testInput},
		{"a text is pasted whole, and cannot end its own paste", testPaste},
		{"a large text is pasted byte for byte", testLargePaste},
		{"a screen is what the program drew", testScreen},
		{"a watcher gets the newest screen", testWatch},
		{"scrollback is paged", testHistory},
		{"modes are what the program asked for", testModes},
		{"a pane has the size that was asked for", testResize},
		{"names are the operator's, and text", testNames},
		{"a program that goes elsewhere takes its workspace's root nowhere", testRoot},
		{"the end of a program is told with its code", testExit},
		{"a closed pane is gone", testClose},
		{"the next node finds the panes with their screens", testAgain},
		{"a line that was begun is known to the next node, too", testDraft},
		{"letting go ends every wait", testDetach},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			open := fresh(t)
			test.run(t, &suite{open: open, mux: open(t)})
		})
	}
}

type suite struct {
	open Open
	mux  pane.Multiplexer
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// script opens a pane in which a shell runs a script.
func (s *suite) script(t testing.TB, script string) pane.Info {
	t.Helper()
	info, err := s.mux.New(t.Context(), pane.Spec{Command: []string{"/bin/sh", "-c", script}, Cwd: "/", OpenedByOperator: true})
	must(t, err)
	return info
}

// await watches a pane until its screen is as wanted.
func (s *suite) await(t testing.TB, id pane.ID, what string, want func(*grid.Screen) bool) *grid.Screen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	found := errors.New("found")
	screen := new(grid.Screen)
	err := s.mux.Watch(ctx, id, func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if want(screen) {
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("pane %s never showed %s: %v\n%s", id, what, err, text(screen))
	}
	return screen
}

func (s *suite) shows(t testing.TB, id pane.ID, part string) *grid.Screen {
	t.Helper()
	return s.await(t, id, part, func(screen *grid.Screen) bool { return strings.Contains(text(screen), part) })
}

func text(s *grid.Screen) string {
	var lines []string
	for _, row := range s.Rows() {
		lines = append(lines, row.Text())
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// info waits until what is told of a pane is as wanted.
func (s *suite) info(t testing.TB, id pane.ID, what string, want func(pane.Info) bool) pane.Info {
	t.Helper()
	changed, stop := s.mux.Changes()
	defer stop()
	timeout := time.After(patience)
	for {
		info, err := s.mux.Get(id)
		must(t, err)
		if want(info) {
			return info
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("pane %s never had %s: %+v", id, what, info)
		}
	}
}

// recorder is a pane whose program writes what it reads to a file, and says when
// it reads. prepare runs before.
func (s *suite) recorder(t testing.TB, prepare string) (id pane.ID, recorded func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record")
	info := s.script(t, "stty raw -echo; "+prepare+" printf reads; exec cat > '"+path+"'")
	s.shows(t, info.ID, "reads")
	return info.ID, func() string {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(data)
	}
}

// eventually waits for what nobody signals, such as a file.
func eventually(t testing.TB, what string, want func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !want(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}
