package mask

import (
	"slices"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// Rows masks a screen. Rows that are joined by their Wrap flag are one text;
// prior are the scrollback rows that wrap into rows[0] and may be nil. A
// candidate that ends at the cursor is hidden from its first character; with a
// nil cursor the plain rule holds. A torn row that begins with what may be the
// rest of a token loses it. A link goes when its text is masked, or when its
// address would be.
//
// The result shares the rows that did not change with the input, and is the
// input if none did. The input is never changed.
func (m *Mask) Rows(rows, prior []grid.Row, cursor *grid.Cursor) (masked []grid.Row, found bool) {
	masked, found = m.rows(rows, prior, 0, cursor, nil)
	return m.unlink(rows, masked, found)
}

// Screen masks a screen of so many columns like [Mask.Rows], of which some rows
// are being written to in other places than the cursor's. A candidate that ends in one of these is
// hidden like one at the cursor, but for a number: many a count beside a name
// changes where it stands.
func (m *Mask) Screen(rows []grid.Row, cols int, cursor *grid.Cursor, ends []grid.Cursor) (masked []grid.Row, found bool) {
	masked, found = m.rows(rows, nil, cols, cursor, ends)
	return m.unlink(rows, masked, found)
}

func (m *Mask) rows(rows, prior []grid.Row, cols int, cursor *grid.Cursor, ends []grid.Cursor) (masked []grid.Row, found bool) {
	s := m.take()
	defer m.give(s)
	width := max(wrapWidth(prior), wrapWidth(rows))
	for _, row := range prior {
		s.addRow(row, width, 0)
	}
	var o Options
	for i, row := range rows {
		blanks := 0
		if cursor != nil && cursor.Row == i && cursor.Col >= 0 {
			offset, missing := column(row, min(cursor.Col, grid.MaxCols))
			o = o.At(len(s.view.source) + offset + missing)
			blanks = missing
		}
		for _, e := range ends {
			if e.Row == i {
				offset, _ := column(row, min(e.Col, grid.MaxCols))
				s.ends = append(s.ends, len(s.view.source)+offset)
			}
		}
		s.addRow(row, width, blanks)
	}
	s.columns(rows, len(prior), cols)
	s.soft = s.joints(s.soft, rows, len(prior), cols)
	s.read(o)
	s.gutters(rows, len(prior), cols)
	if !s.settle() {
		return rows, false
	}
	hidden := s.hidden
	for i, row := range rows {
		at := s.rows[len(prior)+i]
		end := at
		for _, run := range row.Runs {
			end += len(run.Text)
		}
		for len(hidden) > 0 && hidden[0].to <= at {
			hidden = hidden[1:]
		}
		if len(hidden) == 0 {
			break
		}
		if hidden[0].from >= end {
			continue
		}
		runs, changed := s.renderRuns(row.Runs, at, hidden)
		if !changed {
			continue
		}
		if !found {
			masked, found = slices.Clone(rows), true
		}
		masked[i].Runs = runs
	}
	if !found {
		return rows, false
	}
	return masked, true
}

// addRow appends a row to the source, with so many of its blanks as stand
// before the cursor.
func (s *scratch) addRow(row grid.Row, width, blanks int) {
	s.rows = append(s.rows, len(s.view.source))
	if row.Torn {
		s.torn = append(s.torn, len(s.view.source))
	}
	for _, run := range row.Runs {
		s.view.source = append(s.view.source, run.Text...)
	}
	for range blanks {
		s.view.source = append(s.view.source, ' ')
	}
	switch {
	case !row.Wrap:
		s.view.source = append(s.view.source, '\n')
	case rowWidth(row) < width-1:
		// Its last blanks were left out. One column less is a wide character
		// that had no room.
		s.gaps = append(s.gaps, len(s.view.source))
	}
}

// renderRuns returns the runs of a row, which begins at source[at], masked.
func (s *scratch) renderRuns(runs []grid.Run, at int, hidden []span) (masked []grid.Run, changed bool) {
	masked = slices.Clone(runs)
	for i, run := range runs {
		end := at + len(run.Text)
		s.out = render(s.out[:0], s.view.source[at:end], within(hidden, at, end))
		at = end
		if string(s.out) != run.Text {
			masked[i].Text, changed = string(s.out), true
		}
	}
	return masked, changed
}

// within returns the parts of spans in source[from:to], counted from from.
func within(spans []span, from, to int) []span {
	var parts []span
	for _, s := range spans {
		if s.from >= to {
			break
		}
		if s.to > from {
			parts = append(parts, span{max(s.from, from) - from, min(s.to, to) - from})
		}
	}
	return parts
}

// wrapWidth returns the columns of the widest row that wraps; a row that wraps
// is full.
func wrapWidth(rows []grid.Row) int {
	width := 0
	for _, row := range rows {
		if row.Wrap {
			width = max(width, rowWidth(row))
		}
	}
	return width
}

func rowWidth(row grid.Row) int {
	width := 0
	for _, run := range row.Runs {
		width += displaywidth.String(run.Text)
	}
	return width
}

// column returns the byte offset of a column in a row's text. For a column
// behind the text it is the end, and missing counts the blanks between.
func column(row grid.Row, col int) (offset, missing int) {
	for _, run := range row.Runs {
		for i := 0; i < len(run.Text); {
			if col <= 0 {
				return offset, 0
			}
			if b := run.Text[i]; b < utf8.RuneSelf && (i+1 == len(run.Text) || run.Text[i+1] < utf8.RuneSelf) {
				i, offset, col = i+1, offset+1, col-1
				continue
			}
			character := displaywidth.StringGraphemes(run.Text[i:])
			character.Next()
			n := len(character.Value())
			i, offset, col = i+n, offset+n, col-character.Width()
		}
	}
	return offset, max(0, col)
}
