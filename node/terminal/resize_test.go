package terminal

import (
	"strings"
	"testing"
)

type size struct{ cols, rows int }

func TestResize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		from     size
		input    string
		to       size
		row, col int
		screen   string
		history  string
	}{
		{"wider joins wrapped lines", size{5, 4}, "abcdefgh\r\nx", size{10, 4}, 1, 1, lines("abcdefgh", "x"), ""},
		{"narrower breaks lines", size{10, 4}, "abcdefgh\r\nx", size{5, 4}, 2, 1, lines(`abcde\`, "fgh", "x"), ""},
		{"what does not fit scrolls off", size{10, 2}, "abcdefgh\r\nx", size{5, 2}, 1, 1, lines("fgh", "x"), `abcde\`},
		{"and comes back", size{5, 2}, "abcdefgh\r\nx", size{10, 2}, 1, 1, lines("abcdefgh", "x"), ""},
		{"lower drops blank rows first", size{5, 5}, "a\r\nb", size{5, 2}, 1, 1, lines("a", "b"), ""},
		{"lower scrolls the top off", size{5, 4}, "a\r\nb\r\nc\r\nd", size{5, 2}, 1, 1, lines("c", "d"), lines("a", "b")},
		{"the cursor's row stays", size{5, 4}, "a\r\nb\r\nc\r\nd\x1b[2;1H", size{5, 2}, 0, 0, lines("b", "c"), "a"},
		{"higher brings lines back", size{5, 2}, "a\r\nb\r\nc\r\nd", size{5, 3}, 2, 1, lines("b", "c", "d"), "a"},
		{"wider brings lines back where wrapped ones were joined", size{5, 2}, "a\r\nabcdefgh", size{9, 2}, 1, 8, lines("a", "abcdefgh"), ""},
		{"wider brings none back below a cleared screen", size{5, 2}, "a\r\nb\r\nc\x1b[2J\x1b[H$", size{9, 2}, 0, 1, "$", "a"},
		{"higher without scrollback", size{5, 2}, "a\r\nb", size{5, 4}, 1, 1, lines("a", "b"), ""},
		{"spaces between words survive", size{6, 3}, "ab    cd", size{9, 3}, 0, 8, "ab    cd", ""},
		{"blanks in between survive", size{6, 3}, "a\x1b[5Gb", size{3, 3}, 1, 2, lines(`a  \`, " b"), ""},
		{"a wide character is not cut", size{6, 3}, "abcd端x", size{5, 3}, 1, 3, lines(`abcd\`, "端x"), ""},
		{"and fills the gap again", size{5, 3}, "abcd端x", size{7, 3}, 0, 6, "abcd端x", ""},
		{"the cursor inside a wrapped line", size{4, 3}, "abcdefgh\x1b[2;2H", size{8, 3}, 0, 5, "abcdefgh", ""},
		{"the cursor behind a full row", size{4, 3}, "abcdefgh", size{8, 3}, 0, 7, "abcdefgh", ""},
		{"the cursor behind a row that gets full", size{8, 3}, "abcd", size{4, 3}, 0, 3, "abcd", ""},
		{"the cursor beyond the text", size{8, 3}, "ab\x1b[7G", size{4, 3}, 0, 3, "ab", ""},
		{"one column", size{4, 4}, "ab端c", size{1, 4}, 3, 0, lines(`b\`, ` \`, ` \`, "c"), `a\`},
		{"clusters", size{6, 1}, "e\u0301端👩\u200d💻\r\nx", size{6, 2}, 1, 1, lines("e\u0301端👩\u200d💻", "x"), ""},
		{"a saved cursor off the screen", size{8, 4}, "\x1b[4;8H\x1b7\x1b[Ha", size{4, 2}, 0, 1, "a", ""},
		{"the alternate screen is cut", size{6, 3}, "\x1b[?1049habcd端\r\nx\r\ny", size{5, 2}, 1, 1, lines("abcd", "x"), ""},
		{"the alternate screen is extended", size{3, 2}, "\x1b[?1049habc\r\nx", size{5, 3}, 1, 1, lines("abc", "x"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := screenOf(test.from.cols, test.from.rows, test.input)
			s.Resize(test.to.cols, test.to.rows)
			if got := text(s); got != test.screen {
				t.Errorf("screen:\n%s\nwant:\n%s", got, test.screen)
			}
			if got := history(s); got != test.history {
				t.Errorf("scrollback:\n%s\nwant:\n%s", got, test.history)
			}
			if c := s.Cursor(); c.Row != test.row || c.Col != test.col {
				t.Errorf("cursor at %d,%d, want %d,%d", c.Row, c.Col, test.row, test.col)
			}
		})
	}
}

func TestTheBackgroundBehindALineGoesToTheNewEdge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cols int
		want string
	}{{4, "{}ab{44}  "}, {9, "{}ab{44}       "}, {2, "{}ab"}} {
		s := screenOf(6, 3, "ab\x1b[44m\x1b[K\x1b[m\r\nx")
		s.Resize(test.cols, 3)
		if got := styledText(s.Row(0)); got != test.want || s.Row(1).Text() != "x" {
			t.Errorf("in %d columns %q, then %q; want %q", test.cols, got, s.Row(1).Text(), test.want)
		}
	}
}

func TestTextGoesOnAfterAResize(t *testing.T) {
	t.Parallel()
	s := screenOf(8, 3, "abcd")
	s.Resize(4, 3)
	s.Write([]byte("ef"))
	if got, want := text(s), lines(`abcd\`, "ef"); got != want {
		t.Errorf("screen:\n%s\nwant:\n%s", got, want)
	}
	s.Resize(8, 3)
	s.Write([]byte("gh"))
	if got := text(s); got != "abcdefgh" {
		t.Errorf("screen:\n%s", got)
	}
	s.Resize(4, 3)
	s.Resize(8, 3)
	s.Write([]byte("i"))
	if got, want := text(s), lines(`abcdefgh\`, "i"); got != want {
		t.Errorf("screen:\n%s\nwant:\n%s", got, want)
	}
}

func TestASavedWrapEndsWithTheSize(t *testing.T) {
	t.Parallel()
	s := screenOf(5, 2, "abcde\x1b7")
	s.Resize(8, 2)
	s.Write([]byte("\x1b8X"))
	if got := text(s); got != "abcdX" {
		t.Errorf("screen:\n%s", got)
	}
}

func TestResizeEndsTheScrollRegion(t *testing.T) {
	t.Parallel()
	s := screenOf(4, 4, "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[4;1H")
	s.Resize(4, 3)
	s.Write([]byte("\n"))
	if got, want := history(s)+"|"+text(s), "1\n2|3\n4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheMainScreenIsResizedBehindTheAlternate(t *testing.T) {
	t.Parallel()
	s := screenOf(8, 3, "abcdefgh\r\n$ ", "\x1b[?1049hvim")
	s.Resize(4, 4)
	s.Write([]byte("\x1b[?1049lls"))
	if got, want := text(s), lines(`abcd\`, "efgh", `$ ls`); got != want {
		t.Errorf("screen:\n%s\nwant:\n%s", got, want)
	}
}

func TestResizingBackAndForthLosesNothing(t *testing.T) {
	t.Parallel()
	s := New(40, 10, 1000)
	var want strings.Builder
	for i := range 30 {
		line := strings.Repeat(string(rune('a'+i%26)), 7*i) + "端"
		want.WriteString(line + "\n")
		s.Write([]byte(line + "\r\n"))
	}
	for _, to := range []size{{13, 10}, {200, 50}, {7, 3}, {80, 24}, {1000, 500}, {40, 10}} {
		s.Resize(to.cols, to.rows)
		var got strings.Builder
		rows := s.History(0, s.HistoryLen())
		for i := range to.rows {
			rows = append(rows, s.Row(i))
		}
		for _, row := range rows {
			got.WriteString(row.Text())
			if !row.Wrap {
				got.WriteByte('\n')
			}
		}
		if got := strings.TrimRight(got.String(), "\n") + "\n"; got != want.String() {
			t.Fatalf("at %d by %d:\n%s\nwant:\n%s", to.cols, to.rows, got, want.String())
		}
	}
}
