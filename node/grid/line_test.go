package grid_test

import (
	"testing"

	"collie/node/grid"
)

func TestTheLineAtTheCursorIsAllThatWraps(t *testing.T) {
	t.Parallel()
	row := func(text string, wraps bool) grid.Row { return grid.Row{Wrap: wraps, Runs: []grid.Run{{Text: text}}} }
	rows := []grid.Row{row("before", false), row("$ 漢字", true), row("abc", true), row("d", false), row("behind", false)}
	for name, c := range map[string]struct {
		cursor     grid.Cursor
		start      int
		line, left string
	}{
		"in its first row":     {grid.Cursor{Row: 1, Col: 4}, 1, "$ 漢字abcd", "$ 漢"},
		"in its last row":      {grid.Cursor{Row: 3, Col: 1}, 1, "$ 漢字abcd", "$ 漢字abcd"},
		"in a row of its own":  {grid.Cursor{Row: 4, Col: 3}, 4, "behind", "beh"},
		"behind the text":      {grid.Cursor{Row: 0, Col: 20}, 0, "before", "before"},
		"below the last row":   {grid.Cursor{Row: 5}, 5, "", ""},
		"before any character": {grid.Cursor{Row: 4}, 4, "behind", ""},
	} {
		if start, line, left := grid.LineStart(rows, c.cursor), grid.LineAt(rows, c.cursor), grid.LineBefore(rows, c.cursor); start != c.start || line != c.line || left != c.left {
			t.Errorf("%s: %d, %q, %q, want %d, %q, %q", name, start, line, left, c.start, c.line, c.left)
		}
	}
}
