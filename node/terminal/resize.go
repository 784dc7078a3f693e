package terminal

// Resize changes the size, brought into the bounds of a frame. On the main
// screen, lines that were broken because they were too long are broken anew;
// rows that no longer fit go to the scrollback, and come back from there when
// there is room. The alternate screen is cut or extended at the right and at
// the bottom, since its program draws it again anyway.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == s.cols && rows == s.rows {
		return
	}
	onMain := s.active == &s.main
	if onMain {
		s.alternate.lines = nil
		s.reflow(&s.cursorState, cols, rows)
	} else {
		s.reflow(&s.main.saved, cols, rows)
		s.alternate.lines = cut(s.alternate.lines, cols, rows)
	}
	s.cols, s.rows = cols, rows
	s.top, s.bottom = 0, rows-1
	s.lastCol = -1
	pending := s.pendingWrap && onMain
	s.moveTo(s.x, s.y)
	s.pendingWrap = pending
	s.allSeq = s.next
	s.settle()
}

// cut returns the lines in another size.
func cut(lines []*line, cols, rows int) []*line {
	cutLines := newLines(cols, rows)
	for i := range min(rows, len(lines)) {
		from, to := lines[i], cutLines[i]
		from.sever(cols)
		to.used = copy(to.cells, from.cells[:from.used])
		to.wrap, to.continues = from.wrap && cols == len(from.cells), from.continues
	}
	return cutLines
}

// reflow gives the main screen another size and moves the cursor along.
func (s *Screen) reflow(cursor *cursorState, cols, rows int) {
	f := flow{cols: cols, cursorAt: -1}
	f.pulled(s.pullLines(rows - s.rows))
	cursor.x, cursor.y = min(cursor.x, s.cols-1), min(cursor.y, s.rows-1)
	last := cursor.y
	for i := last + 1; i < s.rows; i++ {
		if l := s.main.lines[i]; len(trim(l.cells[:l.used], false)) > 0 {
			last = i
		}
	}
	for i, l := range s.main.lines[:last+1] {
		if i == cursor.y {
			f.cursorAt = len(f.text) + cursor.x
			if cursor.pendingWrap {
				f.cursorAt++
			}
		}
		f.add(pulled{trim(l.cells[:l.used], l.wrap), l.wrap && i < last, l.continues})
	}

	top := min(max(len(f.lines)-rows, 0), f.y)
	for i := range f.lines[:top] {
		s.scrollback.push(&f.lines[i], &s.clusters)
	}
	s.main.lines = newLines(cols, rows)
	for i, l := range f.lines[top:min(top+rows, len(f.lines))] {
		to := s.main.lines[i]
		to.used = copy(to.cells, l.cells)
		to.wrap, to.continues = l.wrap, l.continues
	}
	cursor.x, cursor.y, cursor.pendingWrap = f.x, f.y-top, f.pendingWrap
}

// A pulled line came back from the scrollback.
type pulled struct {
	cells     []cell
	wrap      bool
	continues bool
}

// pullLines takes n lines out of the scrollback, and those that go on in them
// or in the first row of the screen. The newest comes first.
func (s *Screen) pullLines(n int) []pulled {
	var lines []pulled
	for s.scrollback.count > 0 && len(lines) < maxPulledRows {
		if len(lines) >= n && !unpack(s.scrollback.at(s.scrollback.count-1)).wrap {
			break
		}
		lines = append(lines, s.pullLine())
	}
	return lines
}

// A flow breaks lines into rows.
type flow struct {
	cols  int
	text  []cell // of the line that is being put together
	open  bool   // it has begun
	torn  bool   // it began in a row that is not there
	lines []line // rows that are done

	cursorAt    int // in text, -1 while it is elsewhere
	x, y        int // of the cursor, once its line is done
	pendingWrap bool
}

func (f *flow) pulled(lines []pulled) {
	for i := len(lines) - 1; i >= 0; i-- {
		f.add(lines[i])
	}
}

// add appends a row to the line, which goes on if wrap says so. Blanks in it
// become spaces: one at the end of a new row is still a part of the text.
func (f *flow) add(row pulled) {
	if !f.open {
		f.torn = row.continues
	}
	f.open = row.wrap
	for _, c := range row.cells {
		if c.content&contentMask == 0 {
			c.content |= ' '
		}
		f.text = append(f.text, c)
	}
	if !row.wrap {
		f.breakLine()
	}
}

// breakLine makes rows of the line.
func (f *flow) breakLine() {
	text := f.text
	for start := 0; ; {
		end := min(start+f.cols, len(text))
		if end < len(text) && text[end].tail() {
			end--
		}
		if end == start && end < len(text) { // a wide character and one column
			text[start], text[start+1] = cell{content: ' '}, cell{content: ' '}
			end++
		}
		more := end < len(text)
		f.lines = append(f.lines, line{cells: text[start:end], used: end - start, wrap: more, continues: start > 0 || f.torn})
		if f.cursorAt >= start && (f.cursorAt < end || !more) {
			f.placeCursor(f.cursorAt - start)
		}
		if !more {
			break
		}
		start = end
	}
	f.text = nil
}

// placeCursor puts the cursor on the row that was made last. Right behind a
// full row it waits for the next character, as if it had just been written.
func (f *flow) placeCursor(x int) {
	f.y = len(f.lines) - 1
	f.x = min(x, f.cols-1)
	f.pendingWrap = x == f.cols && f.lines[f.y].used == f.cols
	f.cursorAt = -1
}
