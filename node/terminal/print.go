package terminal

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// printASCII shows a run of printable ASCII, the most of what any program
// writes.
func (s *Screen) printASCII(run []byte) {
	if s.insertMode || s.charsets.active() {
		for _, b := range run {
			s.printRune(s.charsets.shown(b))
		}
		return
	}
	s.lastRune = rune(run[len(run)-1])
	for len(run) > 0 {
		if s.pendingWrap {
			s.wrap()
		} else if s.x == 0 {
			s.startRow()
		}
		l := s.active.lines[s.y]
		l.seq = s.next
		n := min(len(run), s.cols-s.x)
		l.putASCII(s.x, run[:n], s.pen)
		run = run[n:]
		s.x += n
		s.lastCol = s.x - 1
		if s.x < s.cols {
			return
		}
		s.x = s.cols - 1
		if s.noAutowrap {
			if len(run) > 0 { // each overwrites the one before
				l.putASCII(s.x, run[len(run)-1:], s.pen)
			}
			return
		}
		s.pendingWrap = true
	}
}

// printRune shows one character, or joins it to the one before.
func (s *Screen) printRune(r rune) {
	s.charsets.next = 0
	width := runeWidth(r)
	if (width == 0 || s.mayJoin(r)) && s.join(r, width) || width == 0 {
		return
	}
	if s.pendingWrap {
		s.wrap()
	} else if s.x == 0 {
		s.startRow()
	}
	if s.x+width > s.cols {
		if s.noAutowrap || s.cols < width {
			return
		}
		s.active.lines[s.y].erase(s.x, s.cols, cell{})
		s.wrap()
	}
	l := s.active.lines[s.y]
	l.seq = s.next
	if s.insertMode {
		l.insert(s.x, width, s.pen.erased())
	}
	c := s.pen
	c.content |= uint64(r)
	l.put(s.x, width, c)
	s.lastRune, s.lastCol = r, s.x
	s.advance(width)
}

// advance moves the cursor behind what was written.
func (s *Screen) advance(width int) {
	if s.x += width; s.x >= s.cols {
		s.x = s.cols - 1
		s.pendingWrap = !s.noAutowrap
	}
}

// wrap goes to the next row because the cursor's is full.
func (s *Screen) wrap() {
	l, goesOn := s.active.lines[s.y], s.y == s.bottom || s.y < s.rows-1
	if l.wrap != goesOn {
		l.wrap, l.seq = goesOn, s.next
	}
	s.x = 0
	s.index()
	s.active.lines[s.y].continues = true
}

// startRow begins a row without a wrap: its text is new, unless the row above
// goes on in it.
func (s *Screen) startRow() {
	if l := s.active.lines[s.y]; l.continues {
		l.continues = s.y > 0 && s.active.lines[s.y-1].wrap
	}
}

// endLine ends the text of row y: it does not go on in the next one.
func (s *Screen) endLine(y int) {
	l := s.active.lines[y]
	if !l.wrap {
		return
	}
	l.wrap, l.seq = false, s.next
	if y+1 < s.rows {
		s.active.lines[y+1].seq = s.next
	}
}

// before returns the column that a mark without width goes to: what was printed
// last, or what stands left of the cursor once that moved.
func (s *Screen) before() (x int, ok bool) {
	if s.lastCol >= 0 {
		return s.lastCol, true
	}
	x = s.x - 1
	if s.pendingWrap {
		x = s.x
	}
	if x > 0 && s.active.lines[s.y].cells[x].tail() {
		x--
	}
	return x, x >= 0
}

// mayJoin reports whether a character with a width can be part of the one
// before the cursor. It is a quick answer for most characters, not the last.
func (s *Screen) mayJoin(r rune) bool {
	return s.lastCol >= 0 &&
		(!standsAlone(r) || s.active.lines[s.y].cells[s.lastCol].content&clusterFlag != 0)
}

// join adds a character to the one before the cursor when both are one
// grapheme cluster (UAX #29).
func (s *Screen) join(r rune, width int) bool {
	x, ok := s.before()
	if !ok {
		return false
	}
	l := s.active.lines[s.y]
	c := &l.cells[x]
	text := utf8.AppendRune(s.texts.appendText(s.scratch[:0], *c), r)
	s.scratch = text
	graphemes := displaywidth.BytesGraphemes(text)
	if !graphemes.Next() || len(graphemes.Value()) != len(text) {
		return false
	}
	number, ok := s.cluster(text)
	if !ok { // too long, or too many: marks are dropped, characters stand alone
		return width == 0
	}
	c.content = c.content&^(textMask|clusterFlag) | clusterFlag | uint64(number)
	l.used = max(l.used, x+1)
	l.seq = s.next
	if graphemes.Width() == 2 && !c.wide() && x == s.lastCol && x == s.x-1 {
		s.widen(l, x)
	}
	return true
}

// widen gives the character at x, right before the cursor, a second column.
func (s *Screen) widen(l *line, x int) {
	if s.insertMode {
		l.insert(x+1, 1, s.pen.erased())
	}
	l.put(x, 2, l.cells[x])
	s.advance(1)
}
