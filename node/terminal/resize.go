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

// reflow gives the main screen another size and moves the cursor along. As many
// rows are used as before, and those that came with the new size: where lines
// take fewer of them now, more come back from the scrollback.
func (s *Screen) reflow(cursor *cursorState, cols, rows int) {
	cursor.x, cursor.y = min(cursor.x, s.cols-1), min(cursor.y, s.rows-1)
	used := cursor.y + 1
	for i := used; i < s.rows; i++ {
		if l := s.main.lines[i]; len(trim(l.cells[:l.used], false)) > 0 {
			used = i + 1
		}
	}
	wanted := used + rows - s.rows
	back := s.pullLines(nil, rows-s.rows)
	f := s.flow(back, used, cursor, cols)
	for len(f.lines) < wanted && s.scrollback.count > 0 && len(back) < maxPulledRows {
		back = s.pullLines(back, len(back)+wanted-len(f.lines))
		f = s.flow(back, used, cursor, cols)
	}

	top := min(max(len(f.lines)-rows, 0), f.y)
	for i := range f.lines[:top] {
		s.scrollback.push(&f.lines[i], &s.texts)
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

// pullLines takes lines out of the scrollback until there are n, and those that
// go on in them or in the first row of the screen. The newest comes first.
func (s *Screen) pullLines(lines []pulled, n int) []pulled {
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
	fill  cell   // what it was erased with behind its text
	open  bool   // it has begun
	torn  bool   // it began in a row that is not there
	lines []line // rows that are done

	cursorAt    int // in text, -1 while it is elsewhere
	x, y        int // of the cursor, once its line is done
	pendingWrap bool
}

// flow breaks what came back from the scrollback and the first rows of the screen
// into rows of so many columns.
func (s *Screen) flow(back []pulled, used int, cursor *cursorState, cols int) flow {
	f := flow{cols: cols, cursorAt: -1}
	for i := len(back) - 1; i >= 0; i-- {
		f.add(back[i])
	}
	for i, l := range s.main.lines[:used] {
		if i == cursor.y {
			f.cursorAt = len(f.text) + cursor.x
			if cursor.pendingWrap {
				f.cursorAt++
			}
		}
		f.add(pulled{trim(l.cells[:l.used], l.wrap), l.wrap && i < used-1, l.continues})
	}
	return f
}

// add appends a row to the line, which goes on if wrap says so. Blanks in it
// become spaces: one at the end of a new row is still a part of the text. What
// was erased behind the text in a colour is none: it goes to the edge again.
func (f *flow) add(row pulled) {
	if !f.open {
		f.torn = row.continues
	}
	f.open = row.wrap
	cells := row.cells
	for f.fill = (cell{}); len(cells) > 0 && cells[len(cells)-1].content == 0; cells = cells[:len(cells)-1] {
		f.fill = cells[len(cells)-1]
	}
	for _, c := range cells {
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
		cells := text[start:end:end]
		for !more && f.fill != (cell{}) && len(cells) < f.cols {
			cells = append(cells, f.fill)
		}
		f.lines = append(f.lines, line{cells: cells, used: len(cells), wrap: more, continues: start > 0 || f.torn})
		if f.cursorAt >= start && (f.cursorAt < end || !more) {
			f.placeCursor(f.cursorAt-start, end-start)
		}
		if !more {
			break
		}
		start = end
	}
	f.text = nil
}

// placeCursor puts the cursor on the row that was made last, which has so much
// text. Right behind a full row it waits for the next character, as if it had
// just been written.
func (f *flow) placeCursor(x, text int) {
	f.y = len(f.lines) - 1
	f.x = min(x, f.cols-1)
	f.pendingWrap = x == f.cols && x == text
	f.cursorAt = -1
}
