package terminal

import (
	"fmt"
	"strings"
	"testing"

	"collie/node/grid"
)

// screenOf returns a screen of the given size after the input.
func screenOf(cols, rows int, input ...string) *Screen {
	s := New(cols, rows, 100)
	for _, in := range input {
		s.Write([]byte(in))
	}
	return s
}

// text returns a screen, one line a row, without blank rows at the end. A row
// that goes on in the next one ends in "\".
func text(s *Screen) string {
	var out []string
	for i := range s.rows {
		out = append(out, rowText(s.Row(i)))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

func rowText(r grid.Row) string {
	if r.Wrap {
		return r.Text() + `\`
	}
	return r.Text()
}

func lines(rows ...string) string { return strings.Join(rows, "\n") }

type screenTest struct {
	name, input, want string
	row, col          int // of the cursor
}

func runScreenTests(t *testing.T, cols, rows int, tests []screenTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := screenOf(cols, rows, test.input)
			if got := text(s); got != test.want {
				t.Errorf("screen after %q:\n%s\nwant:\n%s", test.input, got, test.want)
			}
			if c := s.Cursor(); c.Row != test.row || c.Col != test.col {
				t.Errorf("cursor after %q at %d,%d, want %d,%d", test.input, c.Row, c.Col, test.row, test.col)
			}
		})
	}
}

func TestTextAndControlCharacters(t *testing.T) {
	t.Parallel()
	runScreenTests(t, 10, 4, []screenTest{
		{"text", "hello", "hello", 0, 5},
		{"carriage return and line feed", "one\r\ntwo", lines("one", "two"), 1, 3},
		{"line feed keeps the column", "one\ntwo", lines("one", "   two"), 1, 6},
		{"vertical tab and form feed are line feeds", "a\vb\fc", lines("a", " b", "  c"), 2, 3},
		{"backspace stops at the edge", "ab\b\b\b\bX", "Xb", 0, 1},
		{"tab stops", "a\tb", "a       b", 0, 9},
		{"tab stops at the last column", "a\t\t\tb", "a        b", 0, 9},
		{"bell, null and delete show nothing", "a\a\x00\x7fb", "ab", 0, 2},
		{"scrolling", "1\r\n2\r\n3\r\n4\r\n5", lines("2", "3", "4", "5"), 3, 1},
		{"next line", "ab\x1bEc", lines("ab", "c"), 1, 1},
		{"index and reverse index", "ab\x1bDc\x1bM\x1bMd", lines("   d", "ab", "  c"), 0, 4},
		{"reverse index scrolls at the top", "ab\r\x1bMc", lines("c", "ab"), 0, 1},
		{"a control inside a sequence is carried out", "ab\x1b[\r1Cx", "ax", 0, 2},
		{"cancel ends a sequence", "a\x1b[3\x18b", "ab", 0, 2},
		{"escape ends a sequence", "a\x1b[3\x1b[2Cb", "a  b", 0, 4},
		{"bytes beyond ASCII in a sequence are ignored", "a\x1b[\xc3\xa92Cb", "a  b", 0, 4},
	})
}

func TestAutowrap(t *testing.T) {
	t.Parallel()
	runScreenTests(t, 5, 3, []screenTest{
		{"the last column waits", "abcde", "abcde", 0, 4},
		{"the next character wraps", "abcdef", lines(`abcde\`, "f"), 1, 1},
		{"carriage return does not wrap", "abcde\rX", "Xbcde", 0, 1},
		{"an explicit line feed is no wrap", "abcde\r\nf", lines("abcde", "f"), 1, 1},
		{"wrapping scrolls", "1\r\n2\r\nabcdef", lines("2", `abcde\`, "f"), 2, 1},
		{"backspace forgets the wrap", "abcde\bX", "abcXe", 0, 4},
		{"switched off, the last column is overwritten", "\x1b[?7labcdefgh", "abcdh", 0, 4},
		{"switched on again", "\x1b[?7labcdef\x1b[?7hg", "abcdg", 0, 4},
		{"erasing the end of a row ends its text", "abcdef\x1b[1;3H\x1b[K", lines("ab", "f"), 0, 2},
		{"spaces before a wrap stay", "ab   cd", lines(`ab   \`, "cd"), 1, 2},
		{"erasing forgets the wrap", "abcde\x1b[KX", "abcdX", 0, 4},
		{"switching it off forgets the wrap", "abcde\x1b[?7lX", "abcdX", 0, 4},
		{"the alternate screen forgets the wrap", "abcde\x1b[?47hX", "    X", 0, 4},
		{"a line feed in a row ends its text", "abcdef\x1b[HX\n", lines("Xbcde", "f"), 1, 1},
		{"a deleted row ends the text above", "abcdef\x1b[M", "abcde", 1, 0},
		{"an inserted row ends the text above", "abcdef\x1b[L", lines("abcde", "", "f"), 1, 0},
		{"a scrolled region ends its last row", "1\r\nabcdef\x1b[1;2r\x1b[S", lines("abcde", "", "f"), 0, 0},
		{"a row deleted in a region ends the last", "1\r\nabcdef\x1b[1;2r\x1b[M", lines("abcde", "", "f"), 0, 0},
		{"a region scrolled down ends its last row", "abcdef\r\n2\x1b[1;2r\x1b[T", lines("", "abcde", "2"), 0, 0},
		{"deleted characters leave no spaces", "abcdef\x1b[H\x1b[2P", lines(`cde\`, "f"), 0, 0},
		{"erased cells at the end of a wrapped row leave no spaces", "abcdef\x1b[1;4H\x1b[X\x1b[C\x1b[X", lines(`abc\`, "f"), 0, 4},
		{"many rows in one run", "abcdefghijklm", lines(`abcde\`, `fghij\`, "klm"), 2, 3},
		{"below the scroll region the last row is used again", "\x1b[1;2r\x1b[3;1Habcdefg", lines("", "", "fgcde"), 2, 2},
	})
}

func TestCursorMotions(t *testing.T) {
	t.Parallel()
	runScreenTests(t, 10, 5, []screenTest{
		{"address", "\x1b[3;4HX", lines("", "", "   X"), 2, 4},
		{"address without parameters", "ab\x1b[HX", "Xb", 0, 1},
		{"address beyond the screen", "\x1b[99;99HX", lines("", "", "", "", "         X"), 4, 9},
		{"zero counts as one", "\x1b[0;0HX\x1b[0CY", "X Y", 0, 3},
		{"huge numbers stop at the edge", "\x1b[99999999999999999999;1HX", lines("", "", "", "", "X"), 4, 1},
		{"numbers beyond 32 bits too", "\x1b[4294967296CX", "         X", 0, 9},
		{"relative", "\x1b[3;3H\x1b[A\x1b[2C\x1b[B\x1b[DX", lines("", "", "   X"), 2, 4},
		{"next and previous line", "\x1b[3;3H\x1b[EX\x1b[2FY", lines("", "Y", "", "X"), 1, 1},
		{"column", "abc\x1b[2GX\x1b[8`Y", "aXc    Y", 0, 8},
		{"row", "ab\x1b[3dX", lines("ab", "", "  X"), 2, 3},
		{"save and restore", "ab\x1b7\x1b[4;4H\x1b8X", "abX", 0, 3},
		{"save and restore, short form", "ab\x1b[s\x1b[4;4H\x1b[uX", "abX", 0, 3},
		{"restore keeps the waiting wrap", "abcdefghij\x1b7\x1b[3;1H\x1b8k", lines(`abcdefghij\`, "k"), 1, 1},
		{"set and clear a tab stop", "\x1b[4G\x1bH\r\tX\r\x1b[4G\x1b[g\r\n\tY", lines("   X", "        Y"), 1, 9},
		{"clear all tab stops", "\x1b[3g\tX", "         X", 0, 9},
		{"tab stops of eight again", "\x1b[3g\x1b[?5W\tX", "        X", 0, 9},
		{"forward and backward tabs", "\x1b[ZA\x1b[IB\x1b[ZC", "A       C", 0, 9},
		{"margins stop the cursor", "\x1b[2;4r\x1b[3;1H\x1b[9AX\x1b[9BY", lines("", "X", "", " Y"), 3, 2},
		{"beyond the margins it stops at the edge", "\x1b[2;3r\x1b[5;1H\x1b[BX\x1b[1;1H\x1b[9A", lines("", "", "", "", "X"), 0, 0},
		{"origin mode", "\x1b[2;4r\x1b[?6hX\x1b[9;1HY", lines("", "X", "", "Y"), 3, 1},
		{"origin mode off goes home", "\x1b[2;4r\x1b[?6h\x1b[?6lX", "X", 0, 1},
	})
}

func TestErasing(t *testing.T) {
	t.Parallel()
	const full = "abcd\r\nefgh\r\nijkl\x1b[2;2H"
	runScreenTests(t, 4, 3, []screenTest{
		{"display to the end", full + "\x1b[J", lines("abcd", "e"), 1, 1},
		{"display to the start", full + "\x1b[1J", lines("", "  gh", "ijkl"), 1, 1},
		{"display", full + "\x1b[2J", "", 1, 1},
		{"line to the end", full + "\x1b[K", lines("abcd", "e", "ijkl"), 1, 1},
		{"line to the start", full + "\x1b[1K", lines("abcd", "  gh", "ijkl"), 1, 1},
		{"line", full + "\x1b[2K", lines("abcd", "", "ijkl"), 1, 1},
		{"characters", full + "\x1b[2X", lines("abcd", "e  h", "ijkl"), 1, 1},
		{"more characters than there are", full + "\x1b[99X", lines("abcd", "e", "ijkl"), 1, 1},
		{"selective erase erases too", full + "\x1b[?2J", "", 1, 1},
		{"insert characters", full + "\x1b[@X", lines("abcd", "eXfg", "ijkl"), 1, 2},
		{"insert many characters", full + "\x1b[99@X", lines("abcd", "eX", "ijkl"), 1, 2},
		{"delete characters", full + "\x1b[2P", lines("abcd", "eh", "ijkl"), 1, 1},
		{"delete many characters", full + "\x1b[99P", lines("abcd", "e", "ijkl"), 1, 1},
		{"insert a line", full + "\x1b[L", lines("abcd", "", "efgh"), 1, 0},
		{"insert many lines", full + "\x1b[99L", "abcd", 1, 0},
		{"delete a line", full + "\x1b[M", lines("abcd", "ijkl"), 1, 0},
		{"delete many lines", full + "\x1b[99M", "abcd", 1, 0},
		{"insert mode", full + "\x1b[4hXY\x1b[4lZ", lines("abcd", "eXYZ", "ijkl"), 1, 3},
		{"alignment pattern", "\x1b#8", lines("EEEE", "EEEE", "EEEE"), 0, 0},
		{"reset", full + "\x1bcX", "X", 0, 1},
		{"repeat", "a\x1b[2b", "aaa", 0, 3},
		{"repeat stops at the end of the row", "a\x1b[99b", "aaaa", 0, 3},
		{"repeat needs a character", "a\r\x1b[2b", "a", 0, 0},
	})
}

func TestScrollRegions(t *testing.T) {
	t.Parallel()
	const full = "1\r\n2\r\n3\r\n4\r\n5"
	runScreenTests(t, 4, 5, []screenTest{
		{"line feed at its bottom", full + "\x1b[2;4r\x1b[4;1H\nX", lines("1", "3", "4", "X", "5"), 3, 1},
		{"line feed below it", full + "\x1b[2;4r\x1b[5;1H\nX", lines("1", "2", "3", "4", "X"), 4, 1},
		{"reverse index at its top", full + "\x1b[2;4r\x1b[2;1H\x1bMX", lines("1", "X", "2", "3", "5"), 1, 1},
		{"scroll up", full + "\x1b[2;4r\x1b[2S", lines("1", "4", "", "", "5"), 0, 0},
		{"scroll down", full + "\x1b[2;4r\x1b[2T", lines("1", "", "", "2", "5"), 0, 0},
		{"insert a line", full + "\x1b[2;4r\x1b[3;1H\x1b[L", lines("1", "2", "", "3", "5"), 2, 0},
		{"delete a line", full + "\x1b[2;4r\x1b[3;1H\x1b[M", lines("1", "2", "4", "", "5"), 2, 0},
		{"no lines are inserted outside", full + "\x1b[2;4r\x1b[5;1H\x1b[L", lines("1", "2", "3", "4", "5"), 4, 0},
		{"a region of one row is refused", full + "\x1b[3;3r\x1b[5;1H\n", lines("2", "3", "4", "5"), 4, 0},
		{"columns to the left", full + "\x1b[2;4r\x1b[ @", lines("1", "", "", "", "5"), 0, 0},
		{"columns to the right", full + "\x1b[2;4r\x1b[2 A", lines("1", "  2", "  3", "  4", "5"), 0, 0},
		{"columns inserted", full + "\x1b[2;4r\x1b[3;1H\x1b['}", lines("1", " 2", " 3", " 4", "5"), 2, 0},
		{"columns deleted", full + "\x1b[2;4r\x1b[3;1H\x1b['~", lines("1", "", "", "", "5"), 2, 0},
		{"no columns are inserted outside", full + "\x1b[2;4r\x1b['}", lines("1", "2", "3", "4", "5"), 0, 0},
		{"soft reset ends it", full + "\x1b[2;4r\x1b[!p\x1b[5;1H\n", lines("2", "3", "4", "5"), 4, 0},
	})
}

func TestWideCharactersAndClusters(t *testing.T) {
	t.Parallel()
	runScreenTests(t, 6, 3, []screenTest{
		{"two columns each", "端末x", "端末x", 0, 5},
		{"no half in the last column", "abcde端", lines(`abcde\`, "端"), 1, 2},
		{"nothing is left where it did not fit", "abcdex\rabcde端", lines(`abcde\`, "端"), 1, 2},
		{"no half without autowrap", "\x1b[?7labcde端", "abcde", 0, 5},
		{"overwriting the first half", "端末\rx", "x 末", 0, 1},
		{"overwriting the second half", "端末\x1b[2Gx", " x末", 0, 2},
		{"overwriting with a wide one", "a端末\x1b[1G界", "界 末", 0, 2},
		{"erasing one half", "端末\x1b[2G\x1b[X", "  末", 0, 1},
		{"deleting one half", "端末x\x1b[2G\x1b[P", " 末x", 0, 1},
		{"inserting between the halves", "端末\x1b[2G\x1b[@", "   末", 0, 1},
		{"inserting pushes a half out", "abcd端\x1b[1G\x1b[@", " abcd", 0, 0},
		{"combining mark", "e\u0301x", "e\u0301x", 0, 2},
		{"combining mark in the last column", "abcdee\u0301x", lines("abcdee\u0301\\", "x"), 1, 1},
		{"combining mark after a motion", "ab\x1b[1D\x1b[C\u0301", "ab\u0301", 0, 2},
		{"combining mark with nothing before it", "\u0301x", "x", 0, 1},
		{"combining mark on a blank", "\x1b[2C\u0301x", "  \u0301x", 0, 3},
		{"emoji", "🚀x", "🚀x", 0, 3},
		{"joined emoji", "👩\u200d💻x", "👩\u200d💻x", 0, 3},
		{"skin tone", "👍🏽x", "👍🏽x", 0, 3},
		{"flag", "🇪🇺x", "🇪🇺x", 0, 3},
		{"two flags", "🇪🇺🇨🇭x", "🇪🇺🇨🇭x", 0, 5},
		{"emoji presentation widens", "❤\ufe0fx", "❤\ufe0fx", 0, 3},
		{"emoji presentation in insert mode", "ab\r\x1b[4h❤\ufe0f", "❤\ufe0fab", 0, 2},
		{"emoji presentation has no room in the last column", "abcde❤\ufe0fx", lines("abcde❤\ufe0f\\", "x"), 1, 1},
		{"Hangul syllable of letters", "\u1112\u1161\u11abx", "\u1112\u1161\u11abx", 0, 3},
		{"Devanagari", "नि", "नि", 0, 1},
		{"marks of direction are dropped", "a\u202eb\u2066c\u200b", "abc", 0, 3},
		{"line separators and C1 are dropped", "a\u2028b\u0085c", "abc", 0, 3},
		{"box drawing takes one column", "┌─┐", "┌─┐", 0, 3},
		{"line graphics", "\x1b(0lqk\x1b(Bx", "┌─┐x", 0, 4},
		{"one character of G2 or G3", "\x1b*0\x1b+A\x1bNqq\x1bO##", "─q£#", 0, 4},
		{"British", "\x1b(A#\x1b(B#", "£#", 0, 2},
		{"a shift is for the next character, whatever it is", "\x1b*0\x1bN端q", "端q", 0, 3},
		{"line graphics in G1", "\x1b)0a\x0eq\x0fb", "a─b", 0, 3},
		{"repeat of a wide character stops at the end of the row", "端\x1b[9b", "端端端", 0, 5},
	})
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	t.Parallel()
	runScreenTests(t, 10, 2, []screenTest{
		{"stray continuation", "a\x80b", "a\ufffdb", 0, 3},
		{"C1 as a byte is no control", "a\x9b2Cb", "a\ufffd2Cb", 0, 5},
		{"cut short by text", "a\xe7\xabb", "a\ufffd\ufffdb", 0, 4},
		{"cut short by an escape sequence", "a\xe7\x1b[2Cb", "a\ufffd  b", 0, 5},
		{"surrogate", "\xed\xa0\x80", "\ufffd\ufffd\ufffd", 0, 3},
		{"overlong", "\xc0\x80", "\ufffd\ufffd", 0, 2},
		{"end without the rest waits", "a\xe7\xab", "a", 0, 1},
	})
}

func TestStringsShowNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 100_000)
	runScreenTests(t, 10, 2, []screenTest{
		{"link", "\x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x1b\\!", "link!", 0, 5},
		{"clipboard", "\x1b]52;c;aGVsbG8=\x07a", "a", 0, 1},
		{"unknown OSC", "\x1b]1337;File=:" + long + "\x07a", "a", 0, 1},
		{"OSC with quotes in UTF-8", "\x1b]2;\u201cq\u201d\x07a", "a", 0, 1},
		{"DCS", "\x1bPq#0;2;0;0;0" + long + "\x1b\\a", "a", 0, 1},
		{"empty DCS", "\x1bP\x1b\\a", "a", 0, 1},
		{"DCS with a bell", "\x1bPx\x07y\x1b\\a", "a", 0, 1},
		{"APC in UTF-8", "\x1b_Gé端\x1b\\a", "a", 0, 1},
		{"a window's title", "\x1bktitle\x1b\\a", "a", 0, 1},
		{"PM and SOS", "\x1b^pm\x1b\\\x1bXsos\x1b\\a", "a", 0, 1},
		{"cancelled", "\x1b]2;title\x18a", "a", 0, 1},
	})
}

func TestUnknownSequencesHaveNoEffect(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"\x1b[>4;2m", "\x1b[>1u", "\x1b[<u", "\x1b[=1;1u", "\x1b[?1u", "\x1b[2 q", "\x1b[1;2;3y", "\x1b[?12h",
		"\x1b[999h", "\x1b#3", "\x1b%G", "\x1b[1$}", "\x1b[38;2m", "\x1b[48;5;256m", "\x1b[4:9m",
		"\x1b[38:2:1m", "\x1b[58:5m", "\x1b[?1;1$q", "\x1b[7J", "\x1b[7K", "\x1b[4;1r",
	} {
		s := screenOf(8, 2, in+"x")
		want := grid.Row{Runs: []grid.Run{{Text: "x"}}}
		if got := s.Row(0); !got.Equal(want) || s.Modes() != (Modes{}) || s.TakeReplies() != nil {
			t.Errorf("after %q: %+v, %+v", in, got, s.Modes())
		}
	}
}

func TestAlternateScreen(t *testing.T) {
	t.Parallel()
	runScreenTests(t, 6, 3, []screenTest{
		{"is blank at first", "main\x1b[?1049h", "", 0, 4},
		{"leaves the main screen alone", "main\x1b[?1049h\x1b[2;2Hvim\x1b[?1049l", "main", 0, 4},
		{"is blank the next time", "\x1b[?1049hvim\x1b[?1049l\x1b[?1049h", "", 0, 0},
		{"1047 blanks it when leaving", "\x1b[?1047hvim\x1b[?1047l\x1b[?1047h", "", 0, 3},
		{"47 keeps it", "\x1b[?47hvim\x1b[?47l\x1b[?47h", "vim", 0, 3},
		{"twice is once", "main\x1b[?1049h\x1b[2;2H\x1b[?1049h\x1b[?1049l", "main", 0, 4},
		{"has its own saved cursor", "ab\x1b7\x1b[?47h\x1b[3;3H\x1b7\x1b[?47l\x1b8X", "abX", 0, 3},
		{"reset blanks it", "\x1b[?47hvim\x1bc\x1b[?47h", "", 0, 0},
		{"reset shows the main screen", "main\x1b[?1049hvim\x1bcX", "X", 0, 1},
	})
	s := screenOf(6, 3, "\x1b[?1049h1\r\n2\r\n3\r\n4\r\n5")
	if s.HistoryLen() != 0 {
		t.Errorf("alternate screen left %d lines of scrollback", s.HistoryLen())
	}
}

func TestSizeIsBroughtIntoBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ cols, rows, wantCols, wantRows int }{
		{0, 0, 1, 1}, {-5, 3, 1, 3}, {1 << 30, 1 << 30, grid.MaxCols, grid.MaxRows},
	} {
		s := New(test.cols, test.rows, 0)
		if cols, rows := s.Size(); cols != test.wantCols || rows != test.wantRows {
			t.Errorf("New(%d, %d) has %d by %d cells", test.cols, test.rows, cols, rows)
		}
		s.Resize(80, 24)
		s.Resize(test.cols, test.rows)
		if cols, rows := s.Size(); cols != test.wantCols || rows != test.wantRows {
			t.Errorf("Resize(%d, %d) gives %d by %d cells", test.cols, test.rows, cols, rows)
		}
	}
}

func TestOneColumnAndOneRow(t *testing.T) {
	t.Parallel()
	s := screenOf(1, 1, "a端b\u0301\r\n\x1b[5@\x1b[5P\x1b[L\x1b[M\tc")
	if got := text(s); got != "c" {
		t.Errorf("screen %q", got)
	}
	if got := fmt.Sprint(s.History(0, 9)); got != "[{true false [{a  }]} {false false [{b\u0301  }]}]" {
		t.Errorf("history %s", got)
	}
}
