package grid

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// LineStart returns the first row of the line that the cursor is in: wrapped rows are
// one line.
func LineStart(rows []Row, cursor Cursor) int {
	row := cursor.Row
	for row > 0 && rows[row-1].Wrap {
		row--
	}
	return row
}

// LineAt returns the text of the line that the cursor is in; empty when that is on no
// row.
func LineAt(rows []Row, cursor Cursor) string {
	if cursor.Row >= len(rows) {
		return ""
	}
	last := cursor.Row
	for last < len(rows)-1 && rows[last].Wrap {
		last++
	}
	return joined(rows[LineStart(rows, cursor) : last+1])
}

// LineBefore returns what of that text stands before the cursor.
func LineBefore(rows []Row, cursor Cursor) string {
	if cursor.Row >= len(rows) {
		return ""
	}
	var text strings.Builder
	text.WriteString(joined(rows[LineStart(rows, cursor):cursor.Row]))
	cells := displaywidth.StringGraphemes(rows[cursor.Row].Text())
	for at := 0; at < cursor.Col && cells.Next(); {
		at += cells.Width()
		text.WriteString(cells.Value())
	}
	return text.String()
}

func joined(rows []Row) string {
	var text strings.Builder
	for _, row := range rows {
		text.WriteString(row.Text())
	}
	return text.String()
}

// Whole returns the rows of a frame that names every one.
func (f Frame) Whole() []Row {
	rows := make([]Row, f.Rows)
	for _, line := range f.Lines {
		rows[line.I] = line.Row
	}
	return rows
}
