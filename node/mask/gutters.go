package mask

import (
	"bytes"
	"slices"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// A strip is a stretch of a row with two blanks or more on each side, or the row's
// end: source[from:to], in the columns from col on, up to end.
type strip struct {
	joint
	col, end int
}

// mostIndent is how many columns the lines of one column of text begin apart.
const mostIndent = 4

// gutters reads once more where a program may have wrapped one of several columns of text that
// have no line between them. There only blanks tell: a long word that ends before two of them, with
// more behind, may go on below, where its column begins, in what is no longer and
// has as many behind it. That may be a table as well, so that the rows stay what they are
// and the strips are read as one beside them. What has one blank between is one text, for all that
// a screen tells. Only rows are read in which a secret may begin.
func (s *scratch) gutters(rows []grid.Row, first, cols int) {
	clear(s.open)
	known, next := len(s.chains), 0
	for _, at := range s.examiner.hits {
		n, found := slices.BinarySearch(s.rows, s.view.from(at))
		if !found {
			n--
		}
		for i := max(next, n-first); i+1 < len(rows) && (i == n-first || len(s.open) > 0 && s.goesOn(first+i, rows[i])); i++ {
			s.gutter(rows, first, i, cols)
			next = i + 1
		}
	}
	for _, cells := range s.chains[known:] {
		from := len(s.view.text)
		s.view.chain(s.examiner.mask.zero, cells)
		s.examiner.section(from, len(s.view.text), -1)
	}
}

// goesOn reports whether the first text of a row is one that goes on from above.
func (s *scratch) goesOn(n int, of grid.Row) bool {
	row := s.row(n, of)
	for text := range s.stripsOf(row) {
		if _, found := s.open[text.from]; found {
			return true
		}
	}
	return false
}

// gutter links the strips of a row with those in which they may go on.
func (s *scratch) gutter(rows []grid.Row, first, i, cols int) {
	if rows[i].Wrap {
		return
	}
	row := s.row(first+i, rows[i])
	begin := s.content(row.from, row.to).from
	_, goesOn := s.open[begin] // with nothing beside it any more
	s.strips = s.strips[:0]
	for text := range s.stripsOf(row) {
		if !s.endsLong(text.from, text.to) {
			continue
		}
		last := len(bytes.TrimRight(s.view.source[text.to:row.to], " ")) == 0 && !(text.from == begin && goesOn)
		if last && (text.from == begin || cols < leastBox) {
			continue
		}
		upper := s.measured(row.from, text)
		if last && cols-upper.end > mostMargin || hasMark(s.view.source[text.from:text.to]) {
			continue
		}
		if len(s.strips) == 0 {
			below := s.row(first+i+1, rows[i+1])
			for text := range s.stripsOf(below) {
				s.strips = append(s.strips, s.measured(below.from, text))
			}
		}
		if lower, found := s.below(upper); found {
			s.link(upper.joint, lower)
		}
	}
}

// below returns the strip of the lower row in which one of the upper row may go on.
func (s *scratch) below(upper strip) (lower joint, found bool) {
	for n, l := range s.strips {
		if l.col > upper.col+mostIndent {
			break
		}
		if l.col < upper.col-mostIndent || l.end > upper.end || n+1 < len(s.strips) && s.strips[n+1].col < upper.end+2 {
			continue
		}
		return l.joint, in(s.view.source[l.from], token68) && !hasMark(s.view.source[l.from:l.to])
	}
	return joint{}, false
}

// stripsOf yields the texts of a row between two blanks and more, the first of them.
func (s *scratch) stripsOf(row joint) func(yield func(joint) bool) {
	return func(yield func(joint) bool) {
		for n, at := 0, row.from; at < row.to && n < maxBars; n++ {
			to := row.to
			from := s.content(at, row.to).from
			if blanks := bytes.Index(s.view.source[from:row.to], []byte("  ")); blanks >= 0 {
				to = from + blanks
			}
			text := s.content(from, to)
			if text.from == text.to || !yield(text) {
				return
			}
			at = to
		}
	}
}

// measured says in which columns a text of the row stands that begins at source[row].
func (s *scratch) measured(row int, text joint) strip {
	col := displaywidth.Bytes(s.view.source[row:text.from])
	return strip{text, col, col + displaywidth.Bytes(s.view.source[text.from:text.to])}
}
