package pane_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/draft"
)

func TestShellAnswersWhatIsTyped(t *testing.T) {
	t.Parallel()
	b := open(t)
	info, err := b.New(t.Context(), pane.Spec{Cwd: "/tmp", Label: "mine", OpenedByOperator: true})
	must(t, err)
	if info.Status != pane.Shell || info.Label != "mine" || info.Cols != 80 || info.Rows != 24 ||
		info.Cwd != "/tmp" || !info.OpenedByOperator || info.Exited != nil || info.Command[0] != "/bin/sh" {
		t.Errorf("info is %+v", info)
	}
	must(t, b.Input(t.Context(), info.ID, []byte("echo $((40+2)) $PWD\r")))
	await(t, b, info.ID, shows("42 /tmp"))

	frame, err := b.Screen(t.Context(), info.ID)
	must(t, err)
	if len(frame.Lines) != 24 || frame.Cols != 80 {
		t.Errorf("a whole screen has %d lines of %d columns", len(frame.Lines), frame.Cols)
	}
}

func TestPaneEnvironment(t *testing.T) {
	t.Parallel()
	b := open(t)
	info, err := b.New(t.Context(), pane.Spec{
		Command: []string{"sh", "-c", "env | grep -E '^(COLLIE|TERM|EXTRA)' | sort; umask; sleep 1000"}, Env: []string{"EXTRA=1"},
	})
	must(t, err)
	screen := await(t, b, info.ID, shows("0022"))
	lines := strings.Split(text(screen), "\n")
	want := []string{"COLLIE_PANE=" + string(info.ID), "COLLIE_SOCKET=", "EXTRA=1", "TERM=xterm-256color"}
	joined := strings.Join(lines, "")
	for _, part := range want {
		if !strings.Contains(joined, part) {
			t.Errorf("the environment lacks %q:\n%s", part, joined)
		}
	}
	if strings.Contains(joined, "COLLIE_SECRET") {
		t.Errorf("the node's own COLLIE_ key is in the pane:\n%s", joined)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	b := open(t)
	for name, tc := range map[string]struct {
		spec pane.Spec
		want error
	}{
		"no such program":   {pane.Spec{Command: []string{"/nonexistent/program"}}, pane.ErrStart},
		"empty program":     {pane.Spec{Command: []string{""}}, pane.ErrCommand},
		"relative folder":   {pane.Spec{Cwd: "tmp"}, pane.ErrCwd},
		"missing folder":    {pane.Spec{Cwd: "/nonexistent"}, pane.ErrCwd},
		"folder is a file":  {pane.Spec{Cwd: "/etc/hostname"}, pane.ErrCwd},
		"too wide":          {pane.Spec{Cols: grid.MaxCols + 1}, pane.ErrSize},
		"negative":          {pane.Spec{Rows: -1}, pane.ErrSize},
		"label of two rows": {pane.Spec{Label: "a\nb"}, pane.ErrLabel},
		"long label":        {pane.Spec{Label: strings.Repeat("x", 129)}, pane.ErrLabel},
		"harness":           {pane.Spec{Harness: "An Agent"}, pane.ErrHarness},
		"own variable":      {pane.Spec{Env: []string{"COLLIE_PANE=other"}}, pane.ErrEnvironment},
		"no variable":       {pane.Spec{Env: []string{"x"}}, pane.ErrEnvironment},
		"zero byte":         {pane.Spec{Command: []string{"sh", "a\x00b"}}, pane.ErrCommand},
		"too many words":    {pane.Spec{Command: make([]string, 300)}, pane.ErrCommand},
	} {
		if name == "too many words" {
			tc.spec.Command[0] = "sh"
		}
		if _, err := b.New(t.Context(), tc.spec); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if left := b.List(); len(left) != 0 {
		t.Errorf("%d panes after refusals only", len(left))
	}
}

func TestUnknownPaneIsNotFound(t *testing.T) {
	t.Parallel()
	b := open(t)
	ctx := t.Context()
	_, get := b.Get("p1")
	_, screen := b.Screen(ctx, "p1")
	_, history := b.History(ctx, "p1", 0, 1)
	_, modes := b.Modes(ctx, "p1")
	for name, err := range map[string]error{
		"Get": get, "Screen": screen, "History": history, "Modes": modes,
		"Input": b.Input(ctx, "p1", nil), "Paste": b.Paste(ctx, "p1", ""), "Resize": b.Resize(ctx, "p1", 1, 1),
		"Rename": b.Rename(ctx, "p1", ""), "Close": b.Close(ctx, "p1"),
		"Watch": b.Watch(ctx, "p1", func(grid.Frame) error { return nil }),
	} {
		if !errors.Is(err, pane.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
}

func TestExitIsToldWithTheLastScreen(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", "read line; seq 1 3000; echo last words; exit 7")
	must(t, b.Input(t.Context(), info.ID, []byte("\r")))
	info = awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Exited != nil })
	if *info.Exited != 7 || info.Status != pane.Done {
		t.Errorf("exit code %d, status %s, want 7 and done", *info.Exited, info.Status)
	}
	await(t, b, info.ID, shows("3000\nlast words"))
	if err := b.Input(t.Context(), info.ID, []byte("x")); !errors.Is(err, pane.ErrEnded) {
		t.Errorf("input to an ended program: %v, want ErrEnded", err)
	}
	got, err := b.History(t.Context(), info.ID, 0, 2)
	must(t, err)
	if lines := got.Rows; got.Total < 2900 || len(lines) != 2 || lines[1].Text() != "1" && lines[1].Text() != "2" {
		t.Errorf("history of %d lines begins %v", got.Total, lines)
	}
	must(t, b.Close(t.Context(), info.ID))
	if _, err := b.Get(info.ID); !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("after Close: %v, want ErrNotFound", err)
	}
	eventually(t, "the holder ends", func() bool { return !alive(info.HolderPID) })
}

func TestSignalIsAnExitCode(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sleep", "1000")
	must(t, syscall.Kill(info.PID, syscall.SIGKILL))
	info = awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Exited != nil })
	if *info.Exited != 128+9 {
		t.Errorf("exit code %d, want 137", *info.Exited)
	}
}

func TestRenameAndResizeAreToldToEverybody(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done")
	await(t, b, info.ID, shows("ready"))
	must(t, b.Rename(t.Context(), info.ID, "näme"))
	awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Label == "näme" })
	if err := b.Rename(t.Context(), info.ID, "\x1b[2J"); !errors.Is(err, pane.ErrLabel) {
		t.Errorf("rename to an escape sequence: %v, want ErrLabel", err)
	}
	must(t, b.Resize(t.Context(), info.ID, 100, 30))
	awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Cols == 100 && i.Rows == 30 })
	await(t, b, info.ID, shows("30 100"))
	if err := b.Resize(t.Context(), info.ID, 0, 30); !errors.Is(err, pane.ErrSize) {
		t.Errorf("resize to nothing: %v, want ErrSize", err)
	}
}

func TestTitleIsTold(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", `printf '\033]2;my title\007'; sleep 1000`)
	awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Title == "my title" })
}

func TestTerminalAnswersQueries(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", `stty raw -echo; printf '\033[3;5H\033[6n'; dd bs=1 count=6 2>/dev/null | od -c; sleep 1000`)
	await(t, b, info.ID, shows("3   ;   5   R"))
}

func TestModesTellEchoFromPassword(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", `echo one; read a; stty -echo; echo two; read b; stty raw; printf '\033[?2004h\033[?1h\033[?1049hthree'; sleep 1000`)
	screen := await(t, b, info.ID, shows("one"))
	if !screen.Head().Echo {
		t.Error("a line that is read with an echo promises none")
	}
	must(t, b.Input(t.Context(), info.ID, []byte("\r")))
	await(t, b, info.ID, func(s *grid.Screen) bool { return shows("two")(s) && !s.Head().Echo })
	modes, err := b.Modes(t.Context(), info.ID)
	must(t, err)
	if want := (pane.Modes{Password: true, Line: draft.Empty}); modes != want {
		t.Errorf("while a password is read: %+v, want %+v", modes, want)
	}
	must(t, b.Input(t.Context(), info.ID, []byte("\r")))
	await(t, b, info.ID, shows("three"))
	modes, err = b.Modes(t.Context(), info.ID)
	must(t, err)
	if want := (pane.Modes{BracketedPaste: true, ApplicationCursor: true, AlternateScreen: true, Line: draft.Empty}); modes != want {
		t.Errorf("of a full screen program: %+v, want %+v", modes, want)
	}
}

func TestBackspaceErasesAWholeCharacter(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "cat")
	must(t, b.Input(t.Context(), info.ID, []byte("aé\x7fb\r")))
	await(t, b, info.ID, func(s *grid.Screen) bool { return text(s) == "ab\nab" })
}

func TestPasteIsByteEqual(t *testing.T) {
	t.Parallel()
	b := open(t)
	ascii := strings.Repeat("0123456789 abcdefghijklmnopqrstuvwxyz\n", 100*1024/38+1)[:100*1024]
	wide := strings.Repeat("\U0001F415", 25*1024)
	for name, tc := range map[string]struct{ mode, pasted, want string }{
		"plain":               {"", ascii, strings.ReplaceAll(ascii, "\n", "\r")},
		"bracketed":           {`\033[?2004h`, ascii, "\x1b[200~" + ascii + "\x1b[201~"},
		"bracketed, 4 bytes":  {`\033[?2004h`, wide, "\x1b[200~" + wide + "\x1b[201~"},
		"forged end":          {`\033[?2004h`, "a\x1b[201~\x9b\u009b201~b\x03\x7f\tc\r\n", ""},
		"forged end, cleaned": {`\033[?2004h`, "a\x1b[201~\u009b201~b\x03\x7f\tc\r\n", "\x1b[200~a[201~201~b\tc\n\x1b[201~"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := filepath.Join(t.TempDir(), "got")
			info := start(t, b, "sh", "-c", fmt.Sprintf(`stty raw -echo; printf '%sready'; head -c %d > '%s'; printf done; sleep 1000`, tc.mode, len(tc.want), got))
			await(t, b, info.ID, shows("ready"))
			err := b.Paste(t.Context(), info.ID, tc.pasted)
			if tc.want == "" {
				if !errors.Is(err, pane.ErrText) {
					t.Errorf("paste of what is no UTF-8: %v, want ErrText", err)
				}
				return
			}
			must(t, err)
			await(t, b, info.ID, shows("done"))
			text, err := os.ReadFile(got)
			must(t, err)
			if string(text) != tc.want {
				t.Errorf("%d bytes arrived, want %d, or they differ", len(text), len(tc.want))
			}
		})
	}
}

func TestPasteTooLongIsRefusedWhole(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "cat")
	if err := b.Paste(t.Context(), info.ID, strings.Repeat("x", pane.MaxPasteBytes+1)); !errors.Is(err, pane.ErrPasteSize) {
		t.Fatalf("paste: %v, want ErrPasteSize", err)
	}
	must(t, b.Input(t.Context(), info.ID, []byte("end\r")))
	if screen := await(t, b, info.ID, shows("end\nend")); text(screen) != "end\nend" {
		t.Errorf("something of the paste arrived:\n%s", text(screen))
	}
}

func TestInputThatNobodyReadsIsBounded(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", "stty raw -echo; echo ready; sleep 1000")
	await(t, b, info.ID, shows("ready"))
	chunk := make([]byte, 256*1024)
	var err error
	for range 10 {
		if err = b.Input(t.Context(), info.ID, chunk); err != nil {
			break
		}
	}
	if !errors.Is(err, pane.ErrInputFull) {
		t.Fatalf("2.5 MiB that nobody reads: %v, want ErrInputFull", err)
	}
	if _, err := b.Screen(t.Context(), info.ID); err != nil {
		t.Errorf("the pane no longer answers: %v", err)
	}
}

func TestFloodDoesNotHoldUpAnotherPane(t *testing.T) {
	t.Parallel()
	b := open(t)
	flood := start(t, b, "sh", "-c", fmt.Sprintf("yes 0123456789012345678901234567890123456789 | head -c %d; echo; echo flood over", floodBytes))
	other := start(t, b, "cat")

	frames := make(chan int, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience)
	defer cancel()
	began := time.Now()
	go func() {
		count, screen := 0, new(grid.Screen)
		_ = b.Watch(ctx, flood.ID, func(f grid.Frame) error {
			count++
			if _, err := screen.Apply(f); err != nil {
				return err
			}
			if shows("flood over")(screen) {
				return errors.New("over")
			}
			return nil
		})
		frames <- count
	}()
	for i := range 20 {
		word := fmt.Sprintf("word%d", i)
		must(t, b.Input(t.Context(), other.ID, []byte(word+"\r")))
		await(t, b, other.ID, shows(word+"\n"+word))
		if _, err := b.Screen(t.Context(), flood.ID); err != nil {
			t.Fatalf("the flooding pane does not answer: %v", err)
		}
	}
	count := <-frames
	if ctx.Err() != nil {
		t.Fatal("the flood never ended")
	}
	if most := int(time.Since(began)/(time.Second/60)) + 2; count > most {
		t.Errorf("%d frames, at most %d at 60 a second", count, most)
	}
}

func TestSlowWatcherGetsMergedStates(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", "read go; seq 1 20000; echo end")
	count, screen := 0, new(grid.Screen)
	over := errors.New("over")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := b.Watch(ctx, info.ID, func(f grid.Frame) error {
		count++
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if count == 1 { // while this runs, everything happens
			must(t, b.Input(ctx, info.ID, []byte("\r")))
			awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Exited != nil })
		}
		if shows("end")(screen) {
			return over
		}
		return nil
	})
	if !errors.Is(err, over) {
		t.Fatal(err)
	}
	if count > 3 {
		t.Errorf("%d frames for a receiver that was busy, want the first and the last", count)
	}
}

func TestWatchEndsWithItsPane(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "cat")
	watching, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		ended <- b.Watch(t.Context(), info.ID, func(grid.Frame) error {
			if first {
				close(watching)
			}
			first = false
			return nil
		})
	}()
	<-watching
	must(t, b.Close(t.Context(), info.ID))
	if err := <-ended; !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("Watch of a closed pane: %v, want ErrNotFound", err)
	}
}
