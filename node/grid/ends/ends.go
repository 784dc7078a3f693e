// Package ends knows where the rows of a screen are being written to, whatever
// the cursor says. Many programs draw an input of their own and park the cursor
// elsewhere, or hide it; what a person types there may be a secret of which only
// the beginning stands there yet, so a mask has to know where it ends.
//
// Whoever keeps a screen tells a Tracker of its rows from time to time. A row that
// gained or lost a little since it was seen last is being written to where it did,
// until it changes elsewhere or goes; so is one that gained much behind a prompt, or where nothing
// but blanks stood, and the rows below it that this filled. It is known by its text when it moves.
package ends

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

const (
	// maxTyped is the most columns that a row may gain at once, in place of others, and
	// still be one that is being written to: what a person types, or a program
	// streams. More is a new text, unless it was pasted.
	maxTyped = 32
	// mostMargin is the columns that an input leaves free at its edge.
	mostMargin = 3
	// prompts stand before an input.
	prompts = ">❯›»$#%λ"
)

// A Tracker has seen a screen. The zero value has seen none. It keeps as much text
// as the screen has, and is not safe for concurrent use.
type Tracker struct {
	cols int
	rows []string
	ends map[int]end // by row
}

// An end is where a row changed last.
type end struct {
	text string // of the whole row
	col  int    // behind the last column that changed
}

// A turn is a row that changed.
type turn struct {
	row      int
	old, new string
}

// See takes the rows that may have changed on a screen of that size. Another size
// is another screen, of which all rows have to be told; what was written to there
// is found again by its text.
func (t *Tracker) See(cols, rows int, changed []int, text func(row int) string) {
	fresh := cols != t.cols || rows != len(t.rows)
	if fresh {
		t.cols, t.rows = cols, make([]string, rows)
	}
	var all []turn
	for _, i := range changed {
		if now := text(i); now != t.rows[i] {
			all = append(all, turn{i, t.rows[i], now})
			t.rows[i] = now
		}
	}
	t.see(all, fresh)
}

// Forget is for a screen that is another one from now on: all rows have to be
// told.
func (t *Tracker) Forget() { t.rows = nil }

// Ends returns where rows are being written to, from the first row on.
func (t *Tracker) Ends() []grid.Cursor {
	if len(t.ends) == 0 {
		return nil
	}
	all := make([]grid.Cursor, 0, len(t.ends))
	for _, row := range slices.Sorted(maps.Keys(t.ends)) {
		all = append(all, grid.Cursor{Row: row, Col: min(t.ends[row].col, t.cols)})
	}
	return all
}

func (t *Tracker) see(all []turn, fresh bool) {
	if len(all) == 0 && !fresh {
		return
	}
	before := t.ends
	t.ends = map[int]end{}
	if !fresh {
		maps.Copy(t.ends, before)
	}
	were, are := map[string]bool{}, map[string]bool{}
	for _, turn := range all {
		delete(t.ends, turn.row)
		were[turn.old], are[turn.new] = true, true
	}
	filled := -1 // the row that is full of what was pasted, above this one
	for _, turn := range all {
		e, found := follow(turn, before, were, are)
		if !found && filled >= 0 && filled == turn.row-1 && !were[turn.new] {
			e = end{turn.new, contentEnd(turn.new)}
			found = e.col > 0
		}
		if !found {
			continue
		}
		t.ends[turn.row] = e
		if edge := displaywidth.String(strings.TrimRight(turn.new, " "+frames)); e.col >= edge && t.full(turn.new) {
			filled = turn.row
		}
	}
}

// full reports whether the text of a row goes to the edge of the screen, or to a frame.
func (t *Tracker) full(row string) bool {
	text := strings.TrimRight(row, " "+frames)
	rest := row[len(text):]
	if at := strings.IndexAny(rest, frames); at >= 0 {
		return at <= mostMargin
	}
	return t.cols-displaywidth.String(text) <= mostMargin
}

// frames are the characters that boxes are drawn with.
const frames = "│┃║╎╏┆┇┊┋╭╮╯╰┌┐└┘┏┓┗┛╔╗╚╝─━═┄┅┈┉╌╍├┤|▌▐"

// contentEnd returns the column behind the text of a row in its frame, 0 if there is none.
func contentEnd(row string) (col int) {
	text := strings.TrimRight(row, " "+frames)
	if strings.Trim(text, " "+frames) == "" {
		return 0
	}
	return displaywidth.String(text)
}

// follow returns where a row that changed is being written to now. were and are
// are the texts that rows had, and have.
func follow(now turn, before map[int]end, were, are map[string]bool) (found end, ok bool) {
	moved := were[now.new]
	if !moved && !are[now.old] {
		if col, grown := grew(now.old, now.new); grown {
			return end{now.new, col}, true
		}
	}
	for _, e := range before { // it came back, or moved and perhaps grew
		if e.text == now.new {
			return e, true
		}
		if col, grown := grew(e.text, now.new); grown && !moved {
			return end{now.new, col}, true
		}
	}
	return end{}, false
}

// grew reports whether a row became another by a change in one place, of not
// more than maxTyped columns or by a paste, behind something that stayed; and where that ends.
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
	if displaywidth.String(to[head:at]) > maxTyped && !pasted(from[:head], from[head:len(from)-tail]) {
		return 0, false
	}
	return displaywidth.String(to[:at]), true
}

// pasted reports whether much may have been pasted behind a text, in place of another: behind a
// prompt, or of nothing.
func pasted(behind, gone string) bool {
	stayed := strings.Trim(behind, " "+frames)
	last, _ := utf8.DecodeLastRuneInString(stayed)
	return stayed != "" && (strings.TrimSpace(gone) == "" || strings.ContainsRune(prompts, last))
}
