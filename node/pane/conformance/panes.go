package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/node/grid"
	"collie/node/pane"
)

func testNew(t *testing.T, s *suite) {
	changed, stop := s.mux.Changes()
	defer stop()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	command := []string{"/bin/sh", "-c", `echo "$EXTRA" "$0" "[$1]" "$PWD" "$COLLIE_PANE" "${COLLIE_SECRET-none}"; stty size; umask; sleep 1000`, "a word", `'"$x;\`}
	info, err := s.mux.New(t.Context(), pane.Spec{
		Cwd: folder, Label: "mine", Harness: "agent", Cols: 90, Rows: 20, OpenedByOperator: true, Env: []string{"EXTRA=1 $HOME #{pid}\n2"},
		Command: command,
	})
	must(t, err)
	if _, err := pane.ParseID(string(info.ID)); err != nil {
		t.Errorf("the id is %q", info.ID)
	}
	info = s.info(t, info.ID, "its folder", func(i pane.Info) bool { return i.Cwd == folder })
	if info.Label != "mine" || info.Harness != "agent" || info.Status != pane.Unknown || info.Cols != 90 || info.Rows != 20 ||
		strings.Join(info.Command[2:], "|") != strings.Join(command[2:], "|") || info.OpenedByOperator != (info.HolderPID != 0) || info.Exited != nil || info.PID == 0 || info.Instance == "" || info.Since.IsZero() {
		t.Errorf("it is %+v", info)
	}
	screen := s.shows(t, info.ID, "0022")
	shown := strings.ReplaceAll(text(screen), "\n", " ")
	for _, part := range []string{"1 $HOME #{pid} 2 a word", `['"$x;\]`, string(info.ID) + " none", "20 90"} {
		if !strings.Contains(shown, part) {
			t.Errorf("the program does not see %q:\n%s", part, text(screen))
		}
	}
	select {
	case <-changed:
	case <-time.After(patience):
		t.Error("nobody hears of the pane")
	}
	second := s.script(t, "sleep 1000")
	if second.ID == info.ID || second.Instance == info.Instance {
		t.Errorf("two panes are %s and %s", info.ID, second.ID)
	}
	if second.Status != pane.Shell || second.Harness != "" {
		t.Errorf("the second is %+v", second)
	}
	all := s.mux.List()
	if len(all) != 2 {
		t.Errorf("%d panes are listed, want 2", len(all))
	}
	one, err := s.mux.Get(second.ID)
	must(t, err)
	if one.ID != second.ID || one.PID != second.PID || one.Workspace == info.Workspace {
		t.Errorf("the second is %+v beside %+v", one, info)
	}
}

func testRefusals(t *testing.T, s *suite) {
	for name, tc := range map[string]struct {
		spec pane.Spec
		want error
	}{
		"no such program":   {pane.Spec{Command: []string{"/nonexistent/program"}}, pane.ErrStart},
		"empty program":     {pane.Spec{Command: []string{""}}, pane.ErrCommand},
		"relative folder":   {pane.Spec{Cwd: "tmp"}, pane.ErrCwd},
		"missing folder":    {pane.Spec{Cwd: "/nonexistent"}, pane.ErrCwd},
		"too wide":          {pane.Spec{Cols: grid.MaxCols + 1}, pane.ErrSize},
		"negative":          {pane.Spec{Rows: -1}, pane.ErrSize},
		"label of two rows": {pane.Spec{Label: "a\nb"}, pane.ErrLabel},
		"harness":           {pane.Spec{Harness: "An Agent"}, pane.ErrHarness},
		"own variable":      {pane.Spec{Env: []string{"COLLIE_PANE=other"}}, pane.ErrEnvironment},
		"zero byte":         {pane.Spec{Command: []string{"sh", "a\x00b"}}, pane.ErrCommand},
	} {
		if _, err := s.mux.New(t.Context(), tc.spec); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if left := s.mux.List(); len(left) != 0 {
		t.Errorf("%d panes after refusals only", len(left))
	}
}

func testNotFound(t *testing.T, s *suite) {
	ctx := t.Context()
	for _, id := range []pane.ID{"%99", "p1", "x y"} {
		_, get := s.mux.Get(id)
		_, screen := s.mux.Screen(ctx, id)
		_, history := s.mux.History(ctx, id, 0, 1)
		_, modes := s.mux.Modes(ctx, id)
		for name, err := range map[string]error{
			"Get": get, "Screen": screen, "History": history, "Modes": modes,
			"Input": s.mux.Input(ctx, id, []byte("x")), "Paste": s.mux.Paste(ctx, id, "x"), "Resize": s.mux.Resize(ctx, id, 1, 1),
			"Rename": s.mux.Rename(ctx, id, ""), "Close": s.mux.Close(ctx, id), "RenameTab": s.mux.RenameTab(ctx, string(id), "x"),
			"RenameWorkspace": s.mux.RenameWorkspace(ctx, string(id), "x"),
			"Watch":           s.mux.Watch(ctx, id, func(grid.Frame) error { return nil }),
		} {
			if !errors.Is(err, pane.ErrNotFound) {
				t.Errorf("%s of %q: %v, want that it is not found", name, id, err)
			}
		}
	}
}

func testResize(t *testing.T, s *suite) {
	info := s.script(t, `trap 'stty size' WINCH; echo begun; while :; do sleep 0.05; done`)
	s.shows(t, info.ID, "begun")
	must(t, s.mux.Resize(t.Context(), info.ID, 100, 30))
	s.info(t, info.ID, "the new size", func(i pane.Info) bool { return i.Cols == 100 && i.Rows == 30 })
	s.await(t, info.ID, "the new size, and what the program makes of it", func(screen *grid.Screen) bool {
		head := screen.Head()
		return head.Cols == 100 && head.Rows == 30 && strings.Contains(text(screen), "30 100")
	})
	for _, size := range [][2]int{{0, 30}, {100, 0}, {grid.MaxCols + 1, 30}} {
		if err := s.mux.Resize(t.Context(), info.ID, size[0], size[1]); !errors.Is(err, pane.ErrSize) {
			t.Errorf("%v: %v, want that there is no such size", size, err)
		}
	}
	must(t, s.mux.Resize(t.Context(), info.ID, 30, 10))
	s.shows(t, info.ID, "10 30")
}

func testNames(t *testing.T, s *suite) {
	mark := filepath.Join(t.TempDir(), "ran")
	hostile := `näme 漢 #(touch ` + mark + `) "$HOME" #{pid} 'x; kill-server`
	info := s.script(t, "sleep 1000")
	for _, label := range []string{"reviewer", hostile, ""} {
		must(t, s.mux.Rename(t.Context(), info.ID, label))
		s.info(t, info.ID, "the label "+label, func(i pane.Info) bool { return i.Label == label })
	}
	hostileTab := strings.NewReplacer(".", "_", "$", "").Replace(hostile)
	for _, label := range []string{"build", hostileTab} {
		must(t, s.mux.RenameTab(t.Context(), info.Tab, label))
		s.info(t, info.ID, "the tab "+label, func(i pane.Info) bool { return i.TabLabel == label })
		must(t, s.mux.RenameWorkspace(t.Context(), info.Workspace, label))
		s.info(t, info.ID, "the workspace "+label, func(i pane.Info) bool { return i.WorkspaceLabel == label })
	}
	// Each is the name of its own, whatever the others are called.
	must(t, s.mux.Rename(t.Context(), info.ID, "reviewer"))
	must(t, s.mux.RenameTab(t.Context(), info.Tab, "tests"))
	s.info(t, info.ID, "both names", func(i pane.Info) bool { return i.Label == "reviewer" && i.TabLabel == "tests" })
	must(t, s.mux.RenameTab(t.Context(), info.Tab, hostileTab))
	s.info(t, info.ID, "the tab's other name", func(i pane.Info) bool { return i.Label == "reviewer" && i.TabLabel == hostileTab })
	for name, err := range map[string]error{
		"pane":      s.mux.Rename(t.Context(), info.ID, "\x1b[2J"),
		"tab":       s.mux.RenameTab(t.Context(), info.Tab, "a\nb"),
		"workspace": s.mux.RenameWorkspace(t.Context(), info.Workspace, strings.Repeat("x", 129)),
	} {
		if !errors.Is(err, pane.ErrLabel) {
			t.Errorf("%s: %v, want that this is no label", name, err)
		}
	}
	next, err := s.mux.New(t.Context(), pane.Spec{Command: []string{"sleep", "1000"}, Cwd: "/"})
	must(t, err)
	if next.Workspace != info.Workspace || !strings.HasPrefix(next.WorkspaceLabel, "näme 漢 #(touch") {
		t.Errorf("a pane in the same folder is in %q, called %q", next.Workspace, next.WorkspaceLabel)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a name was run as a command")
	}
}

func testRoot(t *testing.T, s *suite) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	info, err := s.mux.New(t.Context(), pane.Spec{Cwd: folder, Command: []string{"/bin/sh", "-c", "read line; cd /; echo elsewhere; sleep 1000"}})
	must(t, err)
	must(t, s.mux.Input(t.Context(), info.ID, []byte("\r")))
	s.shows(t, info.ID, "elsewhere")
	must(t, s.mux.Rename(t.Context(), info.ID, "looked at again"))
	moved, err := s.mux.Get(info.ID)
	must(t, err)
	if info.Root != folder || moved.Root != folder || moved.Workspace != info.Workspace {
		t.Errorf("its workspace's root is %q, and then %q, want %q", info.Root, moved.Root, folder)
	}
}

func testExit(t *testing.T, s *suite) {
	if s.mux.Capabilities().ExitStatus == "" {
		t.Error("whether exit codes are told is not said")
	}
	info := s.script(t, "read line; seq 1 300; echo last words; exit 7")
	must(t, s.mux.Input(t.Context(), info.ID, []byte("\r")))
	info = s.info(t, info.ID, "its end", func(i pane.Info) bool { return i.Exited != nil })
	if code := *info.Exited; info.Status != pane.Done || code != 7 && (code != pane.ExitUnknown || s.mux.Capabilities().ExitStatus == pane.Always) {
		t.Errorf("exit code %d, status %s, want 7 and done", *info.Exited, info.Status)
	}
	s.shows(t, info.ID, "last words")
	s.info(t, info.ID, "a tab that is called after the program", func(i pane.Info) bool { return i.TabLabel == "" || i.TabLabel == "sh" })
	testEnded(t, s, info)
	killed := s.script(t, "kill -9 $$")
	killed = s.info(t, killed.ID, "its end", func(i pane.Info) bool { return i.Exited != nil })
	if *killed.Exited != 128+9 && (*killed.Exited != pane.ExitUnknown || s.mux.Capabilities().ExitStatus == pane.Always) {
		t.Errorf("exit code %d of a program that a signal ended, want 137", *killed.Exited)
	}
	must(t, s.mux.Close(t.Context(), info.ID))
	if _, err := s.mux.Get(info.ID); !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("after Close: %v, want that it is not found", err)
	}
}

// watched watches a pane, from its first frame on, and says how that ends.
func (s *suite) watched(t *testing.T, id pane.ID) <-chan error {
	t.Helper()
	watched, begun := make(chan error, 1), make(chan struct{}, 100)
	go func() {
		watched <- s.mux.Watch(t.Context(), id, func(grid.Frame) error { begun <- struct{}{}; return nil })
	}()
	<-begun
	return watched
}

// testEnded tries everything that can be done with a pane on one whose program has
// ended: what reaches for the program is refused for that, everything else goes on.
func testEnded(t *testing.T, s *suite, info pane.Info) {
	ctx, id := t.Context(), info.ID
	for name, err := range map[string]error{
		"Input": s.mux.Input(ctx, id, []byte("x")), "Paste": s.mux.Paste(ctx, id, "x"),
		"Resize": s.mux.Resize(ctx, id, info.Cols+5, info.Rows), "Resize to its own size": s.mux.Resize(ctx, id, info.Cols, info.Rows),
	} {
		if !errors.Is(err, pane.ErrEnded) {
			t.Errorf("%s of an ended program: %v, want that it has ended", name, err)
		}
	}
	if err := s.mux.Resize(ctx, id, 0, 1); !errors.Is(err, pane.ErrSize) {
		t.Errorf("a size that is none, of an ended program: %v", err)
	}
	_, screen := s.mux.Screen(ctx, id)
	_, history := s.mux.History(ctx, id, 0, 1)
	_, modes := s.mux.Modes(ctx, id)
	seen := errors.New("seen")
	watch := s.mux.Watch(ctx, id, func(grid.Frame) error { return seen })
	if !errors.Is(watch, seen) {
		t.Errorf("Watch of an ended program: %v", watch)
	}
	for name, err := range map[string]error{
		"Screen": screen, "History": history, "Modes": modes, "Rename": s.mux.Rename(ctx, id, "gone"),
		"RenameTab": s.mux.RenameTab(ctx, info.Tab, "late"), "RenameWorkspace": s.mux.RenameWorkspace(ctx, info.Workspace, "shop"),
	} {
		if err != nil {
			t.Errorf("%s of an ended program: %v", name, err)
		}
	}
	s.info(t, id, "its names", func(i pane.Info) bool { return i.Label == "gone" && i.TabLabel == "late" && i.WorkspaceLabel == "shop" })
}

func testClose(t *testing.T, s *suite) {
	info := s.script(t, "echo begun; sleep 1000")
	s.shows(t, info.ID, "begun")
	watched := s.watched(t, info.ID)
	must(t, s.mux.Close(t.Context(), info.ID))
	select {
	case err := <-watched:
		if !errors.Is(err, pane.ErrNotFound) {
			t.Errorf("a watcher hears %v", err)
		}
	case <-time.After(patience):
		t.Error("a watcher waits for a pane that is gone")
	}
	if len(s.mux.List()) != 0 {
		t.Errorf("it is still listed: %+v", s.mux.List())
	}
	if err := s.mux.Close(t.Context(), info.ID); !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("closed again: %v", err)
	}
}

func testAgain(t *testing.T, s *suite) {
	info := s.script(t, "printf '\\033[31mred\\033[0m\\n'; seq 1 50; printf '\\033[?1hbefore'; cat")
	s.shows(t, info.ID, "before")
	must(t, s.mux.Rename(t.Context(), info.ID, "kept"))
	must(t, s.mux.Detach())
	s.mux = s.open(t)
	again, err := s.mux.Get(info.ID)
	must(t, err)
	if again.Label != "kept" || again.PID != info.PID || again.Instance != info.Instance || again.OpenedByOperator != (again.HolderPID != 0) {
		t.Errorf("it is %+v, and was %+v", again, info)
	}
	screen := s.shows(t, info.ID, "before")
	if !strings.Contains(text(screen), "49\n50\nbefore") {
		t.Errorf("the screen is\n%s", text(screen))
	}
	history, err := s.mux.History(t.Context(), info.ID, 0, 3)
	must(t, err)
	if len(history.Rows) != 3 || history.Rows[0].Text() != "red" || history.Rows[0].Runs[0].Style != "31" || history.Rows[1].Text() != "1" {
		t.Errorf("the scrollback begins %+v", history.Rows)
	}
	modes, err := s.mux.Modes(t.Context(), info.ID)
	must(t, err)
	if !modes.ApplicationCursor || !modes.Echo {
		t.Errorf("the modes are %+v", modes)
	}
	must(t, s.mux.Input(t.Context(), info.ID, []byte("after\r")))
	s.shows(t, info.ID, "beforeafter\nafter")
}

func testDetach(t *testing.T, s *suite) {
	info := s.script(t, "echo begun; cat")
	s.shows(t, info.ID, "begun")
	watched := s.watched(t, info.ID)
	must(t, s.mux.Detach())
	select {
	case err := <-watched:
		if !errors.Is(err, pane.ErrDetached) {
			t.Errorf("a watcher hears %v", err)
		}
	case <-time.After(patience):
		t.Error("a watcher waits")
	}
	if err := s.mux.Input(t.Context(), info.ID, []byte("x")); !errors.Is(err, pane.ErrDetached) {
		t.Errorf("input after letting go: %v", err)
	}
	if _, err := s.mux.New(t.Context(), pane.Spec{}); !errors.Is(err, pane.ErrDetached) {
		t.Errorf("a new pane after letting go: %v", err)
	}
	s.mux = s.open(t)
	s.shows(t, info.ID, "begun")
}
