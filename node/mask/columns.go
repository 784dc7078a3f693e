package mask

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// A bar is a vertical line in a row: source[from:to], behind so many columns.
type bar struct{ from, to, col int }

// columns notes where a program that shows columns of text beside each other may
// have wrapped one of them by itself. Bars that stand in the same column of two rows
// make cells; a long word that ends at the right edge of the upper cell may go on
// in the lower one. The cells of each such text are read as one, beside the whole
// screen, and the rows are no joint of their own. cols is the screen's, 0 if it is not known.
func (s *scratch) columns(rows []grid.Row, first, cols int) {
	s.bars[1] = s.bars[1][:0]
	for i := range rows {
		s.bars[0], s.bars[1] = s.bars[1], s.bars[0]
		row := s.row(first+i, rows[i])
		s.bars[1] = s.appendBars(s.bars[1][:0], row.from, row.to)
		if i == 0 || len(s.bars[0]) == 0 || len(s.bars[1]) == 0 {
			continue
		}
		above := s.row(first+i-1, rows[i-1])
		left := [2]bar{{above.from, above.from, 0}, {row.from, row.from, 0}}
		texts := 0
		for shared := range s.shared() {
			texts += s.cell(left, shared)
			left = shared
		}
		edge := cols
		if cols < leastBox || left[0].from == left[0].to {
			edge = math.MaxInt // not known, or there are no columns
		}
		if texts += s.cell(left, [2]bar{{above.to, above.to, edge}, {row.to, row.to, edge}}); texts > 1 {
			s.divided = append(s.divided, i-1)
		}
	}
}

// row returns where a row stands in the source.
func (s *scratch) row(n int, row grid.Row) joint {
	end := s.rows[n]
	for _, run := range row.Runs {
		end += len(run.Text)
	}
	return joint{s.rows[n], end}
}

// shared yields the bars of both rows that stand in one column.
func (s *scratch) shared() func(yield func([2]bar) bool) {
	return func(yield func([2]bar) bool) {
		upper, lower := s.bars[0], s.bars[1]
		for len(upper) > 0 && len(lower) > 0 {
			switch u, l := upper[0], lower[0]; {
			case u.col < l.col:
				upper = upper[1:]
			case u.col > l.col:
				lower = lower[1:]
			default:
				if !yield([2]bar{u, l}) {
					return
				}
				upper, lower = upper[1:], lower[1:]
			}
		}
	}
}

// appendBars appends the bars of the row source[from:to].
func (s *scratch) appendBars(all []bar, from, to int) []bar {
	row := s.view.source[from:to]
	if bytes.IndexByte(row, boxDrawing) < 0 {
		return all
	}
	col, measured := 0, from
	for i := from; i < to && len(all) < maxBars; {
		if s.view.source[i] != boxDrawing || !isBar(s.view.source[i:to]) {
			i++
			continue
		}
		col += displaywidth.Bytes(s.view.source[measured:i])
		measured = i
		i += len("│")
		all = append(all, bar{measured, i, col})
	}
	return all
}

// boxDrawing is the first byte of the characters that frames are drawn with.
const boxDrawing = 0xe2

// isBar reports whether text begins with a vertical line.
func isBar(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	switch r {
	case '│', '┃', '║', '┆', '┇', '┊', '┋', '╎', '╏':
		return true
	}
	return false
}

// cell judges the two cells, one below the other, between bars on the left and on
// the right. It returns 1 if there is any text in them.
func (s *scratch) cell(left, right [2]bar) (texts int) {
	upper, lower := s.content(left[0].to, right[0].from), s.content(left[1].to, right[1].from)
	if upper.from == upper.to && lower.from == lower.to {
		return 0
	}
	if upper.from == upper.to || lower.from == lower.to || !in(s.view.source[lower.from], token68) {
		return 1
	}
	edge := left[0].col + displaywidth.Bytes(s.view.source[left[0].from:upper.to])
	if right[0].col-edge > mostMargin || !s.endsLong(left[0].from, upper.to) ||
		hasMark(s.view.source[upper.from:upper.to]) || hasMark(s.view.source[lower.from:lower.to]) {
		return 1
	}
	s.link(upper, lower)
	return 1
}

// link notes that a text may go on in another one, which is below it.
func (s *scratch) link(upper, lower joint) {
	n, found := s.open[upper.from]
	if found = found && s.chains[n][len(s.chains[n])-1] == upper; !found {
		n = len(s.chains)
		s.chains = append(s.chains, []joint{upper})
	}
	s.chains[n] = append(s.chains[n], lower)
	if s.open == nil {
		s.open = map[int]int{}
	}
	s.open[lower.from] = n
}

// content returns source[from:to] without the blanks around it.
func (s *scratch) content(from, to int) joint {
	for from < to && isBlank(s.view.source[from]) {
		from++
	}
	for to > from && isBlank(s.view.source[to-1]) {
		to--
	}
	return joint{from, to}
}

// chain appends the cells of a column as a section.
func (v *view) chain(zero *zeroWidth, cells []joint) {
	for i, c := range cells {
		if i > 0 {
			v.joins = append(v.joins, len(v.text))
		}
		v.add(zero, c.from, c.to, 0, nil, nil)
	}
	v.sections = append(v.sections, len(v.text))
}
