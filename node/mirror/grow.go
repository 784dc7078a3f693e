package mirror

import (
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// maxTyped is the most columns that a row may gain in one frame and still be
// one that is being written to: what a person types, or a program streams. More
// at once is a new text.
const maxTyped = 32

// A grower knows where rows are being written to, whatever the cursor says: many
// programs draw an input of their own and park the cursor elsewhere, or hide it.
// A row that gained or lost a little since the frame before is being written to
// where it did, until it changes elsewhere or goes. It is known by its text when
// it moves.
type grower struct {
	ends map[int]end // by row
}

// An end is where a row changed last.
type end struct {
	text string // of the whole row
	col  int    // behind the last column that changed
}

// A turn is a row that a frame changed.
type turn struct {
	row      int
	old, new string
}

// turns are the rows that a frame will change on a screen.
func turns(rows []grid.Row, frame grid.Frame) []turn {
	if len(rows) != frame.Rows {
		return nil
	}
	var all []turn
	for _, line := range frame.Lines {
		if line.I >= 0 && line.I < len(rows) && !rows[line.I].Equal(line.Row) {
			all = append(all, turn{line.I, rows[line.I].Text(), line.Row.Text()})
		}
	}
	return all
}

// anew are all rows of a frame, as on a screen that was empty.
func anew(frame grid.Frame) []turn {
	var all []turn
	for _, line := range frame.Lines {
		if text := line.Row.Text(); text != "" {
			all = append(all, turn{row: line.I, new: text})
		}
	}
	return all
}

// see takes the rows that a frame changed, or all of a fresh screen, and reports
// whether they may have changed where rows are being written to.
func (g *grower) see(all []turn, fresh bool) bool {
	if len(all) == 0 {
		return false
	}
	before := g.ends
	g.ends = map[int]end{}
	if !fresh {
		maps.Copy(g.ends, before)
	}
	were, are := map[string]bool{}, map[string]bool{}
	for _, t := range all {
		delete(g.ends, t.row)
		were[t.old], are[t.new] = true, true
	}
	for _, t := range all {
		if were[t.new] { // it moved, or came back
			for _, e := range before {
				if e.text == t.new {
					g.ends[t.row] = e
				}
			}
			continue
		}
		if col, ok := grew(t.old, t.new); ok && !are[t.old] {
			g.ends[t.row] = end{t.new, col}
			continue
		}
		for _, e := range before { // it came back, or moved and grew
			if e.text == t.new {
				g.ends[t.row] = e
				break
			}
			if col, ok := grew(e.text, t.new); ok {
				g.ends[t.row] = end{t.new, col}
				break
			}
		}
	}
	return len(before) > 0 || len(g.ends) > 0
}

// grew reports whether a row became another by a change in one place, of not
// more than maxTyped columns, behind something that stayed; and where that ends.
func grew(from, to string) (col int, ok bool) {
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	for head > 0 && (head < len(from) && !utf8.RuneStart(from[head]) || head < len(to) && !utf8.RuneStart(to[head])) {
		head--
	}
	if strings.TrimSpace(from[:head]) == "" {
		return 0, false
	}
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(to[len(to)-tail]) {
		tail--
	}
	at := head + len(strings.TrimRight(to[head:len(to)-tail], " ")) // blanks fill a row behind what was taken back
	if displaywidth.String(to[head:at]) > maxTyped {
		return 0, false
	}
	return displaywidth.String(to[:at]), true
}
