package terminal

// A buffer is the main or the alternate screen: its rows and what DECSC saved
// on it.
type buffer struct {
	lines []*line
	saved cursorState
}

// newLines returns blank rows that share one array of cells.
func newLines(cols, rows int) []*line {
	lines, own, cells := make([]*line, rows), make([]line, rows), make([]cell, cols*rows)
	for i := range lines {
		own[i].cells = cells[i*cols : (i+1)*cols : (i+1)*cols]
		lines[i] = &own[i]
	}
	return lines
}

// reset blanks every row.
func (b *buffer) reset(fill cell) {
	for _, l := range b.lines {
		l.reset(fill)
	}
}

// rotateUp moves the first n rows of top–bottom behind the others.
func (b *buffer) rotateUp(top, bottom, n int) []*line {
	region := b.lines[top : bottom+1]
	if n == 1 { // by far the most frequent
		first := region[0]
		copy(region, region[1:])
		region[len(region)-1] = first
	} else {
		reverseLines(region[:n])
		reverseLines(region[n:])
		reverseLines(region)
	}
	return region[len(region)-n:]
}

// rotateDown moves the last n rows of top–bottom before the others.
func (b *buffer) rotateDown(top, bottom, n int) []*line {
	b.rotateUp(top, bottom, bottom-top+1-n)
	return b.lines[top : top+n]
}

func reverseLines(lines []*line) {
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
}

// scrollUp moves the rows of top–bottom up by n. On the main screen, rows that
// leave the screen at its top go to the scrollback.
func (s *Screen) scrollUp(top, bottom, n int) {
	n = min(n, bottom-top+1)
	if top == 0 && s.active == &s.main {
		for _, l := range s.main.lines[:n] {
			s.scrollback.push(l, &s.texts)
		}
	}
	s.removeRows(top, bottom, n)
}

// removeRows is scrollUp without scrollback.
func (s *Screen) removeRows(top, bottom, n int) {
	fill := s.pen.erased()
	for _, l := range s.active.rotateUp(top, bottom, n) {
		l.reset(fill)
	}
	s.scrolled(top, bottom)
}

// scrollDown moves the rows of top–bottom down by n.
func (s *Screen) scrollDown(top, bottom, n int) {
	n = min(n, bottom-top+1)
	fill := s.pen.erased()
	for _, l := range s.active.rotateDown(top, bottom, n) {
		l.reset(fill)
	}
	s.endLine(bottom)
	s.scrolled(top, bottom)
}

// scrolled marks the rows of top–bottom as changed. What stands above them no
// longer goes on in them.
func (s *Screen) scrolled(top, bottom int) {
	if top > 0 {
		s.endLine(top - 1)
	}
	if top == 0 && bottom == s.rows-1 {
		s.allSeq = s.next
		return
	}
	for _, l := range s.active.lines[top : bottom+1] {
		l.seq = s.next
	}
}
