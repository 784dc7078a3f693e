package terminal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRowsWhoseBeginningIsGoneAreTorn(t *testing.T) {
	t.Parallel()
	// Each ends with a screen of 6 by 4 cells.
	for name, test := range map[string]struct {
		output string
		torn   []int
	}{
		"it scrolled into the scrollback":         {"abcdefghi\r\n1\r\n2\r\n3", nil},
		"it scrolled out of the alternate screen": {"\x1b[?1049habcdefghi\r\n1\r\n2\r\n3", []int{0}},
		"drawn anew from the middle of a word":    {"\x1b[?1049h\x1b[Habcdefghi\r\n1", []int{0}},
		"drawn anew from a word's beginning":      {"\x1b[?1049h\x1b[Ha cdefghi\r\n1", nil},
		"it scrolled out of a region":             {"\x1b[2;4r\x1b[2;1Habcdefghi\r\n1\r\n2", []int{1}},
		"it is on the screen":                     {"abcdefghi\r\n1", nil},
		"the scrollback was erased":               {"abcdefghi\r\n1\r\n2\r\n3\x1b[3J", []int{0}},
		"its row was erased":                      {"abcdefghi\x1b[H\x1b[2K", []int{1}},
		"its end was erased":                      {"abcdefghi\x1b[H\x1b[K", []int{1}},
		"the rows above were erased":              {"abcdefghi\x1b[2;1H\x1b[1J", []int{1}},
		"its row was deleted":                     {"abcdefghi\x1b[H\x1b[M", []int{0}},
		"a row came between":                      {"abcdefghi\x1b[2H\x1b[L", []int{2}},
		"another text began in its row":           {"abcdefghi\x1b[H\x1b[2K\x1b[2Hx", nil},
		"its own text was written again":          {"abcdefghi\x1b[2Hg", nil},
		"all was erased":                          {"abcdefghi\x1b[2J", nil},
		"long text in the last row":               {"\x1b[1;3r\x1b[4Habcdefghi", []int{3}},
	} {
		s := New(6, 4, 100)
		s.Write([]byte(test.output))
		var torn []int
		for i := range 4 {
			if s.Row(i).Torn {
				torn = append(torn, i)
			}
		}
		if !slices.Equal(torn, test.torn) {
			t.Errorf("%s: rows %v are torn, want %v", name, torn, test.torn)
		}
		for _, row := range s.History(0, 100) {
			if row.Torn {
				t.Errorf("%s: %q in the scrollback is torn", name, row.Text())
			}
		}
	}
}

func TestARowThatIsTornLaterHasChanged(t *testing.T) {
	t.Parallel()
	for name, tears := range map[string]string{
		"scrollback erased": "\x1b[3J", "row erased": "\x1b[H\x1b[2K", "end erased": "\x1b[H\x1b[K", "line ended": "\x1b[H\n", "above erased": "\x1b[H\x1b[1J\x1b[2K",
	} {
		s := New(6, 2, 100)
		row := 1
		s.Write([]byte("abcdefghi"))
		if name == "scrollback erased" {
			s.Write([]byte("\r\nx"))
			row = 0
		}
		before := s.Seq()
		s.Write([]byte(tears))
		if !s.Row(row).Torn || !slices.Contains(s.Changed(before), row) || row > 0 && !slices.Contains(s.Changed(before), row-1) {
			t.Errorf("%s: torn %v, changed rows %v", name, s.Row(row).Torn, s.Changed(before))
		}
	}
}

func TestTornLinesOfTheScrollbackStayTornInAnotherSize(t *testing.T) {
	t.Parallel()
	s := New(10, 2, 2)
	s.Write([]byte(strings.Repeat("0123456789", 4) + "ab"))
	check := func(when, want string) {
		t.Helper()
		var got []string
		for _, row := range s.History(0, 9) {
			got = append(got, fmt.Sprint(row.Text(), row.Torn))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	check("the oldest lines were dropped", "0123456789true 0123456789false")
	s.Resize(11, 2)
	check("one column more", "01234567890true")
	if row := s.Row(0); row.Torn || row.Text() != "12345678901" {
		t.Errorf("the screen begins with %+v", row)
	}
}

func TestARowThatTurnsOutToGoOnHasChanged(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{"text": "g", "a wide character": "端", "two rows of text": "ghijklmn"} {
		s := New(6, 4, 100)
		s.Write([]byte("abcdef"))
		before := s.Seq()
		s.Write([]byte(more))
		if !s.Row(0).Wrap || !slices.Contains(s.Changed(before), 0) {
			t.Errorf("%s: row 0 is %+v, changed rows %v", name, s.Row(0), s.Changed(before))
		}
	}
}

func TestTheFirstRowOfTheAlternateScreenMayBeALineOfAKey(t *testing.T) {
	t.Parallel()
	for length, torn := range map[int]bool{63: false, 64: true, 70: true} {
		s := New(80, 2, 0)
		s.Write([]byte("\x1b[?1049h\x1b[H" + strings.Repeat("x", length) + "\r\n"))
		if s.Row(0).Torn != torn {
			t.Errorf("%d columns: torn %v, want %v", length, !torn, torn)
		}
	}
}
