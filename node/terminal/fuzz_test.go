package terminal

import (
	"fmt"
	"testing"

	"collie/node/grid"
)

// FuzzWrite holds any bytes, in any pieces and with changes of size, against
// what the package promises.
func FuzzWrite(f *testing.F) {
	for _, stream := range tmuxStreams {
		f.Add([]byte(stream.input), uint16(3), uint8(20), uint8(6))
	}
	for _, seed := range []string{
		"e\u0301👩\u200d💻🇪🇺❤\ufe0f端\u1112\u1161\u11ab\u0301\u202e",
		"\xe7\xab\x1b[31m\xf0\x9f\x9a\x9b\x80\xc0\xed\xa0\x80",
		"\x1b[4h端a\x1b[99@\x1b[99P\x1b[4l\x1b[?7labcdefghijklmnopqrstuvw端",
		"\x1b]2;title\x07\x1b]8;;https://example.org/\x1b\\\x1b[mab\x1b]8;;x\x1b\\\x1b]52;c;eA==\x07\x1bP$qm\x1b\\\x1b_x\x1b\\\x1b^x\x18\x1bXx\x1b\\",
		"\x1b[2;4r\x1b[?6h\x1b[99;99H\n\n\x1bM\x1b[3L\x1b[2M\x1b[5S\x1b[5T",
		"\x1b[?1049h\x1b7\x1b[?1049l\x1b8\x1bc\x1b#8\x1b[!p\x1b[c\x1b[6n\x1b[?2026$p\x1b[18t",
		"a\x1b[65535b\x1b[999999999999;1H\x1b[38:2::1:2:3;48;5;7;4:3m\x1b[44m\x1b[J\x1b[1J\x1b[2K\x1b[3J",
		"\x1b(0lqk\x0e\x1b)0x\x0f\x1b[3g\x1bH\t\x1b[9I\x1b[9Z\x1b[22t\x1b[23t",
	} {
		f.Add([]byte(seed), uint16(len(seed)/2), uint8(7), uint8(4))
	}
	for _, recording := range recordings(f) {
		f.Add([]byte(recording.output[:min(4000, len(recording.output))]), uint16(1234), uint8(39), uint8(11))
	}
	f.Fuzz(func(t *testing.T, input []byte, split uint16, cols, rows uint8) {
		newScreen := func() *Screen { return New(1+int(cols)%40, 1+int(rows)%12, 20) }
		whole, halves, bytewise := newScreen(), newScreen(), newScreen()
		whole.Write(input)
		at := min(int(split), len(input))
		halves.Write(input[:at])
		halves.Write(input[at:])
		for i := range input {
			bytewise.Write(input[i : i+1])
		}
		want := portrait(whole)
		if got := portrait(halves); got != want {
			t.Errorf("split at %d:\n%s\nwhole:\n%s", at, got, want)
		}
		if got := portrait(bytewise); got != want {
			t.Errorf("byte by byte:\n%s\nwhole:\n%s", got, want)
		}
		checkScreen(t, whole)
		whole.Resize(1+int(split)%50, 1+int(split>>8)%20)
		checkScreen(t, whole)
		whole.Write(input)
		checkScreen(t, whole)
		whole.Resize(1+int(cols)%40, 1+int(rows)%12)
		checkScreen(t, whole)
	})
}

// portrait is everything that can be known about a screen from outside.
func portrait(s *Screen) string {
	var rows []grid.Row
	for i := range s.rows {
		rows = append(rows, s.Row(i))
	}
	return fmt.Sprintf("%+v %+v %+v %q %q %+v", rows, s.Cursor(), s.Modes(), s.Title(), s.replies, s.History(0, 1000))
}

// checkScreen fails when a screen breaks a promise or a bound.
func checkScreen(t *testing.T, s *Screen) {
	t.Helper()
	cols, rows := s.Size()
	frame := grid.Frame{Cols: cols, Rows: rows, Cursor: s.Cursor(), Title: s.Title()}
	for i := range rows {
		frame.Lines = append(frame.Lines, grid.Line{I: i, Row: s.Row(i)})
	}
	if err := frame.Check(); err != nil {
		t.Error(err)
	}
	for _, row := range s.History(0, s.HistoryLen()) {
		frame := grid.Frame{Cols: 1, Rows: 1, Lines: []grid.Line{{Row: row}}}
		if err := frame.Check(); err != nil {
			t.Errorf("scrollback: %v", err)
		}
	}
	for _, l := range append(s.main.lines, s.alternate.lines...) {
		checkLine(t, l, cols)
	}
	for _, lines := range [][]*line{s.main.lines, s.alternate.lines} {
		for i, l := range lines {
			if l.wrap && i+1 < len(lines) && !lines[i+1].continues {
				t.Errorf("row %d goes on in the next, which does not go on from it", i)
			}
		}
	}
	for name, bound := range map[string][2]int{
		"lines of scrollback": {s.HistoryLen(), s.scrollback.limit},
		"collected bytes":     {len(s.collected), maxStringBytes},
		"reply bytes":         {len(s.replies), maxReplyBytes},
		"titles":              {len(s.titles), maxTitles},
		"clusters":            {len(s.texts.clusters.texts), maxClusters},
		"links":               {len(s.texts.links.texts), maxLinks},
		"styles":              {len(s.styles), maxStyles},
	} {
		if bound[0] > bound[1] {
			t.Errorf("%d %s, the bound is %d", bound[0], name, bound[1])
		}
	}
}

func checkLine(t *testing.T, l *line, cols int) {
	t.Helper()
	if len(l.cells) != cols || l.used > cols {
		t.Fatalf("line of %d cells, %d used, in %d columns", len(l.cells), l.used, cols)
	}
	for i, c := range l.cells {
		switch {
		case i >= l.used && c != (cell{}):
			t.Errorf("cell %d is beyond the %d used and not blank: %x", i, l.used, c)
		case c.wide() && (i+1 == cols || !l.cells[i+1].tail()):
			t.Errorf("wide cell %d without a second half", i)
		case c.tail() && (i == 0 || !l.cells[i-1].wide()):
			t.Errorf("second half %d without a first", i)
		}
	}
}
