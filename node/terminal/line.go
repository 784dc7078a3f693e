package terminal

// A line is one row of cells. Cells at used and beyond are zero, so that short
// lines are cheap to clear, to keep and to show.
type line struct {
	cells []cell
	used  int
	wrap  bool // the text goes on in the next row
	// continues says that the text began in a row above, also when that row is
	// no longer there.
	continues bool
	seq       uint64 // of the last change
}

// longWord reports whether the line is one word that goes on in the next, or
// that is as long as a line of a private key.
func (l *line) longWord() bool {
	cells := trim(l.cells[:l.used], false)
	if len(cells) < armourColumns && (!l.wrap || len(cells) < len(l.cells)) {
		return false
	}
	for _, c := range cells {
		if text := c.content & contentMask; text == 0 || text == ' ' {
			return false
		}
	}
	return true
}

// sever blanks a wide character whose halves lie on both sides of column x.
func (l *line) sever(x int) {
	if x <= 0 || x >= len(l.cells) || !l.cells[x].tail() {
		return
	}
	l.cells[x-1].content = l.cells[x-1].content&^contentMask | ' '
	l.cells[x].content = l.cells[x].content&^contentMask | ' '
}

// putASCII writes one cell a byte, from column x.
func (l *line) putASCII(x int, text []byte, pen cell) {
	l.sever(x)
	l.sever(x + len(text))
	cells := l.cells[x : x+len(text)]
	for i, b := range text {
		cells[i] = cell{pen.content | uint64(b), pen.colours}
	}
	l.used = max(l.used, x+len(text))
}

// put writes one character of width 1 or 2 at column x.
func (l *line) put(x, width int, c cell) {
	l.sever(x)
	l.sever(x + width)
	if width == 2 {
		tail := c.style()
		tail.content |= tailFlag
		l.cells[x+1] = tail
		c.content |= wideFlag
	}
	l.cells[x] = c
	l.used = max(l.used, x+width)
}

// erase fills the columns from x up to end.
func (l *line) erase(x, end int, fill cell) {
	l.sever(x)
	l.sever(end)
	l.fill(x, end, fill)
}

// fill is erase without care for wide characters at the edges.
func (l *line) fill(x, end int, fill cell) {
	if fill == (cell{}) {
		if end = min(end, l.used); x < end {
			clear(l.cells[x:end])
		}
		if end == l.used {
			l.used = min(l.used, x)
		}
		return
	}
	for i := x; i < end; i++ {
		l.cells[i] = fill
	}
	l.used = max(l.used, end)
}

// reset makes the line new.
func (l *line) reset(fill cell) {
	l.fill(0, len(l.cells), fill)
	l.wrap, l.continues = false, false
}

// insert moves the cells from x on n columns to the right and fills the gap.
func (l *line) insert(x, n int, fill cell) {
	n = min(n, len(l.cells)-x)
	l.sever(x)
	l.sever(len(l.cells) - n)
	copy(l.cells[x+n:], l.cells[x:])
	if l.used > x {
		l.used = min(l.used+n, len(l.cells))
	}
	l.fill(x, x+n, fill)
}

// remove takes n cells out at x; the ones behind move to the left.
func (l *line) remove(x, n int, fill cell) {
	n = min(n, len(l.cells)-x)
	l.sever(x)
	l.sever(x + n)
	copy(l.cells[x:], l.cells[x+n:])
	l.fill(len(l.cells)-n, len(l.cells), fill)
}
