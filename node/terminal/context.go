package terminal

import (
	"bytes"

	"collie/node/grid"
)

// Above returns the lines of scrollback that have to be read with line i, which
// is counted from the oldest one; the line after the newest is the first row of
// the main screen. They are the lines that wrap into it, and those from the BEGIN
// line on of a text in armour (RFC 7468, OpenPGP) that has not ended before it:
// at most [grid.MaxAbove], oldest first.
func (s *Screen) Above(i int) []grid.Row {
	i = min(max(i, 0), s.scrollback.count)
	least := max(0, i-grid.MaxAbove)
	from := i
	for from > least && s.scrollback.wraps(from-1) {
		from--
	}
	for at := i - 1; at >= least; at-- {
		begin, end := armour(s.scrollback.at(at))
		if begin > end {
			from = min(from, at)
		}
		if begin >= 0 || end >= 0 {
			break
		}
	}
	rows := s.History(from, i-from)
	if len(rows) == grid.MaxAbove && from > 0 && s.scrollback.wraps(from-1) {
		rows[0].Torn = true // what it goes on from does not come with it
	}
	return rows
}

// Below returns what has to be read with the line before line i, counted as for
// [Screen.Above]: the lines of scrollback, and then of the main screen, that it
// wraps into, and those up to the END line of a text in armour that began before
// them. They are at most [grid.MaxAbove].
func (s *Screen) Below(i int) []grid.Row {
	i = min(max(i, 0), s.scrollback.count)
	most := min(s.scrollback.count+s.rows, i+grid.MaxAbove)
	var rows []grid.Row
	needed := 0
	wraps, open := i > 0 && s.scrollback.wraps(i-1), true
	for at := i; at < most && (wraps || open); at++ {
		row := s.lineOf(at)
		rows = append(rows, row)
		if wraps {
			needed, wraps = len(rows), row.Wrap
		}
		if open {
			begin, end := armour([]byte(row.Text()))
			if end >= 0 && (begin < 0 || end < begin) {
				needed = len(rows)
			}
			open = begin < 0 && end < 0
		}
	}
	return rows[:needed]
}

// lineOf returns a line of the scrollback or of the main screen behind it.
func (s *Screen) lineOf(i int) grid.Row {
	if i < s.scrollback.count {
		return s.historyRow(i)
	}
	return s.rowOf(s.main.lines[i-s.scrollback.count])
}

// armour returns where a line last begins and where it last ends a text in
// armour, -1 for not at all.
func armour(line []byte) (begin, end int) {
	if !bytes.Contains(line, []byte("-----")) {
		return -1, -1
	}
	return bytes.LastIndex(line, []byte("-----BEGIN ")), bytes.LastIndex(line, []byte("-----END "))
}
