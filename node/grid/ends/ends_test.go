package ends

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/grid"
)

// screens shows a tracker one screen after another, rows separated by /.
func screens(texts ...string) []grid.Cursor {
	var t Tracker
	for _, text := range texts {
		rows := strings.Split(text, "/")
		changed := make([]int, len(rows))
		for i := range changed {
			changed[i] = i
		}
		t.See(80, len(rows), changed, func(row int) string { return rows[row] })
	}
	return t.Ends()
}

func TestARowIsWrittenToWhereItGrew(t *testing.T) {
	t.Parallel()
	at := func(row, col int) []grid.Cursor { return []grid.Cursor{{Row: row, Col: col}} }
	for _, c := range []struct {
		why   string
		texts []string
		want  []grid.Cursor
	}{
		{"nothing yet", []string{"a/b"}, nil},
		{"one character", []string{"a/> b", "a/> bc"}, at(1, 4)},
		{"within a box", []string{"│ a  │", "│ ab │"}, at(0, 4)},
		{"taken back", []string{"> abc", "> ab"}, at(0, 4)},
		{"wide characters", []string{"> 漢", "> 漢字"}, at(0, 6)},
		{"the same afterwards", []string{"> a/x", "> ab/x", "> ab/y"}, at(0, 4)},
		{"elsewhere afterwards", []string{"> a/x y", "> ab/x y", "> ab/x yz"}, []grid.Cursor{{Row: 0, Col: 4}, {Row: 1, Col: 4}}},
		{"another text afterwards", []string{"> a", "> ab", "$ c"}, nil},
		{"moved", []string{"> a/x/y", "> ab/x/y", "w/> ab/x"}, at(1, 4)},
		{"moved and grown", []string{"> a/x/y", "> ab/x/y", "w/> abc/x"}, at(1, 5)},
		{"on a screen of another size", []string{"> a/x", "> ab/x", "x/> ab/y"}, at(1, 4)},
		{"a new text", []string{"$ ls/", "$ ls/" + strings.Repeat("a", 20)}, nil},
		{"pasted", []string{"$ ", "$ " + strings.Repeat("a", 33)}, at(0, 35)},
		{"pasted into a box", []string{"│ >" + strings.Repeat(" ", 50) + "│", "│ > " + strings.Repeat("a", 40) + "         │"}, at(0, 44)},
		{"pasted over a hint", []string{`│ > try "this or that"                            │`, "│ > " + strings.Repeat("a", 40) + "      │"}, at(0, 44)},
		{"pasted behind something", []string{"> first ", "> first " + strings.Repeat("a b ", 10)}, at(0, 47)},
		{"pasted over several rows", []string{"│ > │/╰───╯/", "│ > " + strings.Repeat("a", 70) + " │/│   " + strings.Repeat("b", 70) + " │/│   ccc" + strings.Repeat(" ", 68) + "│"}, []grid.Cursor{{Row: 0, Col: 74}, {Row: 1, Col: 74}, {Row: 2, Col: 7}}},
		{"pasted up to the edge", []string{"> /", "> " + strings.Repeat("a", 78) + "/bcd"}, []grid.Cursor{{Row: 0, Col: 80}, {Row: 1, Col: 3}}},
		{"pasted above another text", []string{"> /x", "> " + strings.Repeat("a", 40) + "/y"}, at(0, 42)},
		{"much in place of another text", []string{"one " + strings.Repeat("b", 40), "one " + strings.Repeat("a", 40)}, nil},
		{"much in an empty frame", []string{"│" + strings.Repeat(" ", 60) + "│", "│ " + strings.Repeat("a", 50) + "         │"}, nil},
		{"rows that scroll", []string{"a 1/a 2/a 3", "a 2/a 3/a 4"}, nil},
	} {
		if diff := cmp.Diff(c.want, screens(c.texts...)); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}

func TestAForgottenScreenHasNoEnds(t *testing.T) {
	t.Parallel()
	var tracker Tracker
	see := func(text string) { tracker.See(80, 1, []int{0}, func(int) string { return text }) }
	see("> a")
	see("> ab")
	if got := tracker.Ends(); len(got) != 1 {
		t.Fatalf("ends %v", got)
	}
	tracker.Forget()
	see("$ other")
	if got := tracker.Ends(); got != nil {
		t.Errorf("after another screen: %v", got)
	}
}

// Whatever rows follow each other, an end is within its row.
func FuzzEnds(f *testing.F) {
	f.Add("> a/x", "> ab/x", "x/> abc")
	f.Add("│ > 漢 │", "│ > 漢字│", "│ > 漢字e\u0301│")
	f.Fuzz(func(t *testing.T, first, second, third string) {
		last := -1
		for _, end := range screens(first, second, third) {
			rows := strings.Split(third, "/")
			if end.Row <= last || end.Row >= len(rows) || end.Col < 0 || end.Col > 4*len(rows[end.Row]) {
				t.Fatalf("end %v in %q", end, rows)
			}
			last = end.Row
		}
	})
}
