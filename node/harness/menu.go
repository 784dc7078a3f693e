package harness

import (
	"strings"
	"unicode/utf8"
)

// menu reports a list of which one row is marked, at the end of what the screen
// shows: what a program of which nothing is known draws while it waits for a
// choice. A line at a prompt looks much like it, so two things tell them apart:
// a list is numbered, or the cursor is not at the end of its last row.
func (v *view) menu() bool {
	end := v.end
	for hints := 0; end > 0 && hints < 3 && (v.blank(end-1) || contains(strings.ToLower(v.text[end-1]), "enter", "esc", "↑", "arrow", "ctrl")); hints++ {
		if _, marked := markedAt(v.text[end-1]); marked {
			break
		}
		end--
	}
	first, column, marked, numbered := end, -1, -1, true
	for ; first > 0 && end-first < maxOptionRows*4; first-- {
		row := v.text[first-1]
		at, is := markedAt(row)
		if !is {
			at = indent(row)
		}
		if row == "" || (column >= 0 && at != column) || (column < 0 && !is && at < 2) || (is && marked >= 0) {
			break
		}
		column = at
		if is {
			marked = first - 1
		}
		if _, ok := itemOf(row); !ok {
			numbered = false
		}
	}
	if marked < 0 || end-first < 2 {
		return false
	}
	if numbered {
		return true
	}
	return !v.Cursor.Visible || v.Cursor.Row != end-1 || v.Cursor.Col < column
}

// markedAt reports a row that begins with a mark, and the column of what follows.
func markedAt(text string) (column int, ok bool) {
	trimmed := strings.TrimLeft(text, " ")
	for _, mark := range marks + "*→" {
		if after, found := strings.CutPrefix(trimmed, string(mark)+" "); found && strings.TrimSpace(after) != "" {
			return indent(text) + 1 + utf8.RuneCountInString(after) - utf8.RuneCountInString(strings.TrimLeft(after, " ")) + 1, true
		}
	}
	return 0, false
}
