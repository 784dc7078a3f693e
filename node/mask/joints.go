package mask

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// A joint is a stretch of the source between two rows that a program wrapped by
// itself: it breaks a word that has no room at the edge of its own box, draws
// the frame, and goes on behind an indent. The terminal knows nothing of it.
type joint struct{ from, to int }

// joints appends where rows may have been wrapped by their program: the upper
// one ends in a long word at the edge of its box, which is a frame, or of a screen
// of so many columns (0: not known), and the lower one begins, behind a frame or
// an indent, with what may go on in it; or the upper one is full to the last column.
// Whether it does, nobody says. Lines of base64 alone, without an indent, are those of a file.
func (s *scratch) joints(all []joint, rows []grid.Row, first, cols int) []joint {
	divided := s.divided
	for i := 0; i+1 < len(rows); i++ {
		if len(divided) > 0 && divided[0] == i {
			divided = divided[1:]
			continue
		}
		if rows[i].Wrap {
			continue
		}
		from, framed := s.contentEnd(first+i, rows[i])
		begin := s.rows[first+i]
		goesOn := len(all) > 0 && all[len(all)-1].to == begin
		if !s.endsLong(begin, from) || !goesOn && s.isBase64(begin, from) {
			continue
		}
		to := s.contentStart(first+i+1, rows[i+1])
		if to == len(s.view.source) || !in(s.view.source[to], token68) {
			continue
		}
		margin := mostMargin
		if to == s.rows[first+i+1] { // no indent: whoever breaks words there uses all of the width
			framed, margin = false, 0
		}
		if framed || cols >= leastBox && s.columnsTo(first+i, from) >= cols-margin {
			all = append(all, joint{from, to})
		}
	}
	return all
}

// endsLong reports whether source[from:to] ends in a long word that could go on.
func (s *scratch) endsLong(from, to int) bool {
	least := leastRemnant
	if to > from && s.view.source[to-1] == '=' { // more likely the sign behind a name
		least = leastArmour
	}
	if to-from < least || !in(s.view.source[to-1], token68) {
		return false
	}
	for _, b := range s.view.source[to-least : to] {
		if !in(b, visible) {
			return false
		}
	}
	return true
}

func (s *scratch) isBase64(from, to int) bool {
	for _, b := range s.view.source[from:to] {
		if !in(b, base64Std) {
			return false
		}
	}
	return true
}

func (s *scratch) columnsTo(row, to int) int {
	text := s.view.source[s.rows[row]:to]
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return displaywidth.Bytes(text)
		}
	}
	return len(text)
}

// contentEnd returns where the text of a row ends, without the frame around it,
// and whether a frame stands there, with hardly a blank between.
func (s *scratch) contentEnd(row int, of grid.Row) (end int, framed bool) {
	begin := s.rows[row]
	end = begin
	for _, run := range of.Runs {
		end += len(run.Text)
	}
	blanks, frame := 0, false
	for end > begin {
		b := s.view.source[end-1]
		switch {
		case isBlank(b):
			end--
			blanks++
		case b == '|':
			end--
			blanks, frame = 0, true
		case b >= utf8.RuneSelf && !isMark(s.view.source, end-len(mark)):
			r, n := utf8.DecodeLastRune(s.view.source[begin:end])
			if !isFrame(r, n) {
				return end, frame && blanks <= mostMargin
			}
			end -= n
			blanks, frame = 0, true
		default:
			return end, frame && blanks <= mostMargin
		}
	}
	return end, false
}

// contentStart returns where the text of a row begins, without the frame around
// it.
func (s *scratch) contentStart(row int, of grid.Row) int {
	at, end := s.rows[row], s.rows[row]
	for _, run := range of.Runs {
		end += len(run.Text)
	}
	for at < end {
		b := s.view.source[at]
		switch {
		case isBlank(b) || b == '|':
			at++
		case b >= utf8.RuneSelf && !isMark(s.view.source, at):
			r, n := utf8.DecodeRune(s.view.source[at:end])
			if !isFrame(r, n) {
				return at
			}
			at += n
		default:
			return at
		}
	}
	return len(s.view.source)
}
