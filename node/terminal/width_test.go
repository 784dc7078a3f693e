package terminal

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Every code point has the width of the table, controls aside, and none that
// is said to stand alone joins another.
func TestShortCutsAgreeWithTheTables(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if got, want := runeWidth(r), displaywidth.Rune(r); got != want && !unicode.IsControl(r) {
			t.Errorf("%U has width %d, want %d", r, got, want)
		}
		if !standsAlone(r) || runeWidth(r) == 0 {
			continue
		}
		for _, before := range []string{"a", "é", "端", "한", "🚀", "न"} {
			graphemes := displaywidth.StringGraphemes(before + string(r))
			if graphemes.Next(); graphemes.Value() != before {
				t.Errorf("%U joins %q", r, before)
			}
		}
	}
}

func TestClustersAreBounded(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("\u0301", 1000)
	s := screenOf(8, 1, "e", marks, "x")
	if got, want := s.Row(0).Text(), "e"+marks[:(maxClusterBytes-1)/2*2]+"x"; got != want {
		t.Errorf("row %q, want %q", got, want)
	}
	joined := strings.Repeat("👩\u200d", 100)
	s = screenOf(300, 1, joined)
	for i, c := range s.main.lines[0].cells {
		if n := len(s.texts.appendText(nil, c)); n > maxClusterBytes {
			t.Errorf("cell %d has %d bytes", i, n)
		}
	}
}

func TestClustersThatLeftTheScreenAreForgotten(t *testing.T) {
	t.Parallel()
	s := New(80, 24, 10)
	for i := range 3 * maxClusters {
		fmt.Fprintf(s, "%c\u0301%c\u0302", 'a'+i%26, 0x4e00+i)
	}
	if n := len(s.texts.clusters.texts); n > maxClusters {
		t.Errorf("%d clusters", n)
	}
	last := string(rune(0x4e00+3*maxClusters-1)) + "\u0302"
	if got := s.Row(s.Cursor().Row).Text(); !strings.HasSuffix(got, last) {
		t.Errorf("row %q, want %q at its end", got, last)
	}
	checkScreen(t, s)
}

func TestMoreClustersThanAreKeptLoseTheirMarks(t *testing.T) {
	t.Parallel()
	s := New(1000, 20, 0)
	for i := range 2 * maxClusters {
		fmt.Fprintf(s, "%c\u0301", 0x4e00+i)
	}
	row := s.Row(s.Cursor().Row).Text()
	if want := string(rune(0x4e00 + 2*maxClusters - 1)); !strings.HasSuffix(row, want) {
		t.Errorf("row ends in %q, want %q", row[len(row)-8:], want)
	}
	if first := s.Row(0).Text(); !strings.HasPrefix(first, "一\u0301丁\u0301") {
		t.Errorf("the first clusters changed: %.20q", first)
	}
	checkScreen(t, s)
}
