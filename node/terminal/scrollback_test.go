package terminal

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"collie/node/grid"
)

// history returns the scrollback, one line a row as text does.
func history(s *Screen) string {
	var out []string
	for _, row := range s.History(0, s.HistoryLen()) {
		out = append(out, rowText(row))
	}
	return strings.Join(out, "\n")
}

func TestLinesThatScrollOffAreKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, input, want string }{
		{"none yet", "1\r\n2", ""},
		{"line feeds", "1\r\n2\r\n3\r\n4", lines("1", "2")},
		{"wrapped lines", "abcdefghijklmn", lines(`abcdef\`)},
		{"spaces before a wrap", "a     b\r\n\r\n", lines(`a     \`, "b")},
		{"scroll up", "1\r\n2\x1b[2S", lines("1", "2")},
		{"a region that begins at the top", "1\r\n2\x1b[1;1r\x1b[2;1H\n", "1"},
		{"a deleted line is gone", "1\r\n2\x1b[H\x1b[M", ""},
		{"what was erased is gone", "1\r\n2\x1b[2J\x1b[H3", ""},
		{"erase scrollback", "1\r\n2\r\n3\x1b[3J", ""},
		{"a reset keeps it", "1\r\n2\r\n3\x1bc", "1"},
		{"wide characters and clusters", "端e\u0301👩\u200d💻\r\n\r\n\r\n", lines("端e\u0301👩\u200d💻", "")},
		{"blanks in between", "a\x1b[4Cb\r\n\r\n", "a    b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := history(screenOf(6, 2, test.input)); got != test.want {
				t.Errorf("scrollback:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestScrollbackKeepsStyles(t *testing.T) {
	t.Parallel()
	const line = "a\x1b[1;38;5;2mb端\x1b[48;2;1;2;3;58;5;9;4:3mc \x1b[m d \x1b[44m\x1b[K"
	s := screenOf(12, 1, line)
	want := s.Row(0)
	s.Write([]byte("\x1b[m\n"))
	if got := s.History(0, 1)[0]; !got.Equal(want) {
		t.Errorf("scrollback has %+v, the screen had %+v", got, want)
	}
}

func TestHistoryIsCounted(t *testing.T) {
	t.Parallel()
	s := New(6, 1, 3)
	s.Write([]byte("1\r\n2\r\n3\r\n4\r\n5\r\n"))
	if s.HistoryLen() != 3 {
		t.Fatalf("%d lines, want 3", s.HistoryLen())
	}
	for _, test := range []struct {
		from, count int
		want        string
	}{
		{0, 3, "3 4 5"}, {1, 1, "4"}, {2, 99, "5"}, {-1, 2, "3 4"}, {3, 1, ""}, {0, 0, ""}, {0, -1, ""}, {1 << 40, 1 << 40, ""},
	} {
		var got []string
		for _, row := range s.History(test.from, test.count) {
			got = append(got, row.Text())
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("History(%d, %d): %q, want %q", test.from, test.count, got, test.want)
		}
	}
	none := New(6, 1, 0)
	none.Write([]byte("1\r\n2\r\n3"))
	if none.HistoryLen() != 0 || none.History(0, 9) != nil {
		t.Error("scrollback without room for lines has lines")
	}
}

func TestScrollbackIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	const cols = grid.MaxCols
	s := New(cols, 2, 1<<30)
	var line strings.Builder
	for i := range cols {
		fmt.Fprintf(&line, "\x1b[38;2;0;%d;0me\u0301\u0302\u0303", i%256)
	}
	s.Write([]byte(line.String()))
	for range 1100 {
		s.scrollback.push(s.main.lines[0], &s.texts)
	}
	kept := 0
	for _, chunk := range append(s.scrollback.chunks, s.scrollback.spare...) {
		kept += cap(chunk)
	}
	if limit := maxScrollbackBytes + 8*scrollbackChunkBytes; kept > limit {
		t.Errorf("%d bytes of scrollback, the limit is %d", kept, limit)
	}
	n := s.HistoryLen()
	if n < 300 || n >= 1100 {
		t.Errorf("%d lines are left", n)
	}
	if got := s.History(0, 1)[0].Text(); got != strings.Repeat("e\u0301\u0302\u0303", cols) {
		t.Errorf("oldest line: %.40q…", got)
	}
}

func TestScrollbackIsCompact(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := New(80, 24, 10_000)
	for _, p := range pieces(agentLog(corpusSize, 80, 24)) {
		s.Write(p)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if s.HistoryLen() != 10_000 {
		t.Fatalf("%d lines of scrollback", s.HistoryLen())
	}
	used := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("a screen of 80 by 24 cells with 10 000 lines of scrollback: %d KiB", used/1024)
	if used > 3<<20 {
		t.Errorf("%d bytes", used)
	}
	runtime.KeepAlive(s)
}
