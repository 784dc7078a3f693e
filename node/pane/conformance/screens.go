package conformance

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/pane"
)

func testInput(t *testing.T, s *suite) {
	id, recorded := s.recorder(t, "")
	var every []byte
	for b := range 256 {
		every = append(every, byte(b))
	}
	sent := string(every) + "\x1b[A" + strings.Repeat("é漢🐕", 300) + "\x1b[200~"
	must(t, s.mux.Input(t.Context(), id, []byte(sent)))
	eventually(t, "all of it", func() bool { return len(recorded()) >= len(sent) })
	if got := recorded(); got != sent {
		t.Errorf("%d bytes arrived, want %d: %.300q", len(got), len(sent), got)
	}
}

func testPaste(t *testing.T, s *suite) {
	for name, tc := range map[string]struct{ prepare, want string }{
		"with brackets":    {`printf '\033[?2004h';`, "\x1b[200~one\ttwo|three[201~ 漢|\x1b[201~"},
		"without brackets": {"", "one\ttwo|three[201~ 漢|"},
	} {
		id, recorded := s.recorder(t, tc.prepare)
		s.await(t, id, "its mode", func(*grid.Screen) bool {
			modes, err := s.mux.Modes(t.Context(), id)
			must(t, err)
			return modes.BracketedPaste == (tc.prepare != "")
		})
		must(t, s.mux.Paste(t.Context(), id, "one\ttwo\nthree\x1b[201~\x03 漢\n"))
		eventually(t, name, func() bool { return len(recorded()) >= len(tc.want) })
		// The key that ends a line is a carriage return; inside of brackets a terminal may send either.
		if got := strings.NewReplacer("\r", "|", "\n", "|").Replace(recorded()); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	id, _ := s.recorder(t, "")
	if err := s.mux.Paste(t.Context(), id, "\xff"); !errors.Is(err, pane.ErrText) {
		t.Errorf("bytes that are no text: %v", err)
	}
	if err := s.mux.Paste(t.Context(), id, strings.Repeat("x", pane.MaxPasteBytes+1)); !errors.Is(err, pane.ErrPasteSize) {
		t.Errorf("too much text: %v", err)
	}
}

func testLargePaste(t *testing.T, s *suite) {
	id, recorded := s.recorder(t, "")
	sent := ""
	for _, piece := range []string{"0123456789abcde ", "🐕🐈🦊🐻"} {
		large := strings.Repeat(piece, 100<<10/len(piece))
		sent += large
		must(t, s.mux.Paste(t.Context(), id, large))
		eventually(t, "100 KiB of "+piece, func() bool { return len(recorded()) >= len(sent) })
		if recorded() != sent {
			t.Fatalf("100 KiB of %q arrived otherwise", piece)
		}
	}
}

func testScreen(t *testing.T, s *suite) {
	info := s.script(t, `printf '\033]2;my title\007\033[1;31mred\033[0m wide: 漢字 e\314\201 🐕\n'; printf 'w%.0s' $(seq 1 100); printf '\n\033[44mback\033[0m\n\033[?25lend'; sleep 1000`)
	screen := s.shows(t, info.ID, "end")
	rows := screen.Rows()
	if got := rows[0].Text(); got != "red wide: 漢字 é 🐕" && got != "red wide: 漢字 e\u0301 🐕" {
		t.Errorf("the first row is %q", got)
	}
	if rows[0].Runs[0].Text != "red" || rows[0].Runs[0].Style != "1;31" {
		t.Errorf("its first run is %+v", rows[0].Runs[0])
	}
	if !rows[1].Wrap || len(rows[1].Text()) != 80 || rows[2].Wrap || len(rows[2].Text()) != 20 {
		t.Errorf("a long line is %+v and %+v", rows[1], rows[2])
	}
	if head := screen.Head(); head.Cursor != (grid.Cursor{Row: 4, Col: 3}) || head.Title != "my title" {
		t.Errorf("the head is %+v", head)
	}
	s.info(t, info.ID, "its title", func(i pane.Info) bool { return i.Title == "my title" })
	frame, err := s.mux.Screen(t.Context(), info.ID)
	must(t, err)
	if len(frame.Lines) != 24 || frame.Cols != 80 {
		t.Errorf("a whole screen has %d lines of %d columns", len(frame.Lines), frame.Cols)
	}
}

func testWatch(t *testing.T, s *suite) {
	info := s.script(t, "echo begun; while read line; do seq 1 200; echo did $line; done")
	s.shows(t, info.ID, "begun")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var screen grid.Screen
	var last uint64
	sent := 0
	enough := errors.New("enough")
	err := s.mux.Watch(ctx, info.ID, func(f grid.Frame) error {
		if f.Seq <= last {
			t.Errorf("frame %d after %d", f.Seq, last)
		}
		last = f.Seq
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if sent == 0 || strings.Contains(text(&screen), "did "+strconv.Itoa(sent)) {
			if sent++; sent > 5 {
				return enough
			}
			return s.mux.Input(ctx, info.ID, []byte(strconv.Itoa(sent)+"\r"))
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("after %d lines: %v\n%s", sent, err, text(&screen))
	}
	whole, err := s.mux.Screen(t.Context(), info.ID)
	must(t, err)
	for i, line := range whole.Lines {
		if !line.Row.Equal(screen.Rows()[i]) {
			t.Errorf("row %d is %v to a watcher and %v at a look", i, screen.Rows()[i], line.Row)
		}
	}
	refused := errors.New("refused")
	if err := s.mux.Watch(ctx, info.ID, func(grid.Frame) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a watcher that fails: %v", err)
	}
}

func testHistory(t *testing.T, s *suite) {
	info := s.script(t, "seq 1 1000; echo end; sleep 1000")
	s.shows(t, info.ID, "end")
	total := 0
	eventually(t, "its scrollback", func() bool {
		history, err := s.mux.History(t.Context(), info.ID, 0, 1)
		must(t, err)
		total = history.Total
		return total == 1000+2-24
	})
	for _, page := range []struct{ from, count, first, rows int }{{0, 10, 1, 10}, {500, 200, 501, 200}, {total - 5, 100, total - 4, 5}, {total, 10, 0, 0}, {5000, 10, 0, 0}} {
		history, err := s.mux.History(t.Context(), info.ID, page.from, page.count)
		must(t, err)
		if len(history.Rows) != page.rows || history.Total != total {
			t.Errorf("from %d: %d rows of %d, want %d of %d", page.from, len(history.Rows), history.Total, page.rows, total)
			continue
		}
		if page.rows > 0 && history.Rows[0].Text() != strconv.Itoa(page.first) {
			t.Errorf("from %d: it begins with %q, want %d", page.from, history.Rows[0].Text(), page.first)
		}
	}
}

func testModes(t *testing.T, s *suite) {
	info := s.script(t, `read a; printf '\033[?1h\033[?2004h\033[?1049hsecond'; stty -icanon -echo; dd bs=1 count=1 2>/dev/null; `+
		`printf '\033[?1l\033[?2004l\033[?1049l'; stty icanon -echo; printf asks; read b; stty echo; printf done; sleep 1000`)
	awaitModes := func(what string, want pane.Modes) {
		t.Helper()
		var got pane.Modes
		eventually(t, what, func() bool {
			var err error
			got, err = s.mux.Modes(t.Context(), info.ID)
			must(t, err)
			got.Line = "" // see testDraft
			return got == want
		})
	}
	awaitModes("a shell's read", pane.Modes{Echo: true})
	must(t, s.mux.Input(t.Context(), info.ID, []byte("\r")))
	s.shows(t, info.ID, "second")
	awaitModes("a program with the whole screen", pane.Modes{BracketedPaste: true, ApplicationCursor: true, AlternateScreen: true})
	must(t, s.mux.Input(t.Context(), info.ID, []byte("x")))
	s.shows(t, info.ID, "asks")
	awaitModes("a password", pane.Modes{Password: true})
	must(t, s.mux.Input(t.Context(), info.ID, []byte("secret\r")))
	screen := s.shows(t, info.ID, "done")
	if strings.Contains(text(screen), "secret") || strings.Contains(text(screen), "second") {
		t.Errorf("the screen is\n%s", text(screen))
	}
	awaitModes("an echo", pane.Modes{Echo: true})
}
