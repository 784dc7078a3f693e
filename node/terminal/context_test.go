package terminal

import (
	"fmt"
	"strings"
	"testing"

	"collie/node/grid"
)

func joined(rows []grid.Row) string {
	var all []string
	for _, row := range rows {
		all = append(all, row.Text())
	}
	return strings.Join(all, "/")
}

func TestContextOfALine(t *testing.T) {
	t.Parallel()
	const begin, end = "-----BEGIN KEY-----", "-----END KEY-----"
	for name, test := range map[string]struct {
		output       string
		line         int
		above, below string
	}{
		"a line alone":              {"a\r\nb\r\nc\r\nd\r\ne", 1, "", ""},
		"goes on from two above":    {strings.Repeat("x", 45) + "\r\na\r\nb\r\nc", 2, strings.Repeat("x", 20) + "/" + strings.Repeat("x", 20), "xxxxx"},
		"goes on on the screen":     {"a\r\n" + strings.Repeat("y", 70), 2, strings.Repeat("y", 20), strings.Repeat("y", 20) + "/" + strings.Repeat("y", 20) + "/" + strings.Repeat("y", 10)},
		"behind an open BEGIN":      {"a\r\n" + begin + "\r\nb\r\nc\r\nd\r\ne\r\nf", 3, begin + "/b", ""},
		"behind one that is closed": {begin + "\r\nb\r\n" + end + "\r\nd\r\ne\r\nf\r\ng", 4, "", ""},
		"before an END":             {"a\r\nb\r\nc\r\n" + end + "\r\ne", 1, "", "b/c/" + end},
		"before a whole one":        {"a\r\nb\r\n" + begin + "\r\nb\r\n" + end, 1, "", ""},
		"a coloured BEGIN":          {"\x1b[1;31m" + begin + "\x1b[m\r\nb\r\nc\r\nd\r\ne", 1, begin, ""},
		"a line that is not there":  {"a\r\nb\r\nc\r\nd", 99, "", ""},
	} {
		s := New(20, 2, 100)
		s.Write([]byte(test.output))
		if got := joined(s.Above(test.line)); got != test.above {
			t.Errorf("%s: above is %q, want %q", name, got, test.above)
		}
		if got := joined(s.Below(test.line)); got != test.below {
			t.Errorf("%s: below is %q, want %q", name, got, test.below)
		}
	}
}

func TestContextIsBounded(t *testing.T) {
	t.Parallel()
	s := New(20, 2, 10_000)
	s.Write([]byte("-----BEGIN KEY-----\r\n"))
	for i := range 3 * grid.MaxAbove {
		fmt.Fprintf(writer{s}, "%d\r\n", i)
	}
	s.Write([]byte("-----END KEY-----\r\n" + strings.Repeat("x", 20*3*grid.MaxAbove)))
	for i := range s.HistoryLen() {
		if above, below := s.Above(i), s.Below(i); len(above) > grid.MaxAbove || len(below) > grid.MaxAbove {
			t.Fatalf("line %d comes with %d lines above and %d below", i, len(above), len(below))
		}
	}
	if n := len(s.Above(s.HistoryLen())); n != grid.MaxAbove {
		t.Errorf("%d lines above the screen", n)
	}
}

// writer lets fmt write to a screen.
type writer struct{ *Screen }

func (w writer) Write(p []byte) (int, error) {
	w.Screen.Write(p)
	return len(p), nil
}
