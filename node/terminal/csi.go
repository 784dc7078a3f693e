package terminal

import "github.com/charmbracelet/x/ansi"

// argument returns parameter i, and the default value when it is missing or 0.
func argument(params ansi.Params, i, byDefault int) int {
	n, _, ok := params.Param(i, 0)
	if !ok || n == 0 {
		return byDefault
	}
	return min(n, maxParameter)
}

// controlSequence carries out a CSI sequence. What is not known has no effect.
func (s *Screen) controlSequence(cmd ansi.Cmd, params ansi.Params) {
	if cmd == 'b' {
		s.repeat(argument(params, 0, 1))
		return
	}
	s.lastCol = -1
	switch cmd.Prefix() {
	case 0:
		if cmd.Intermediate() == 0 {
			s.plainSequence(cmd.Final(), params)
		} else {
			s.intermediateSequence(cmd, params)
		}
	case '?':
		s.privateSequence(cmd, params)
	default:
		s.query(cmd)
	}
}

// plainSequence carries out a sequence without prefix and intermediates.
func (s *Screen) plainSequence(final byte, params ansi.Params) {
	n := argument(params, 0, 1)
	switch final {
	case 'A', 'F': // CUU, CPL
		s.moveRows(-n)
		if final == 'F' {
			s.x = 0
		}
	case 'B', 'e', 'E': // CUD, VPR, CNL
		s.moveRows(n)
		if final == 'E' {
			s.x = 0
		}
	case 'C', 'a': // CUF, HPR
		s.moveTo(s.x+n, s.y)
	case 'D': // CUB
		s.moveTo(s.x-n, s.y)
	case 'G', '`': // CHA, HPA
		s.moveTo(n-1, s.y)
	case 'H', 'f': // CUP, HVP
		s.position(argument(params, 1, 1)-1, n-1)
	case 'd': // VPA
		s.position(s.x, n-1)
	case 'I': // CHT
		s.moveTo(s.tabs.move(s.x, n, s.cols), s.y)
	case 'Z': // CBT
		s.moveTo(s.tabs.move(s.x, -n, s.cols), s.y)
	case 'g': // TBC
		switch argument(params, 0, 0) {
		case 0:
			s.tabs.set(s.x, false)
		case 3:
			s.tabs = tabStops{}
		}
	case 'm':
		s.selectGraphics(params)
	case 'r': // DECSTBM
		s.setMargins(n-1, min(argument(params, 1, s.rows), s.rows)-1)
	case 's': // SCOSC
		s.saveCursor()
	case 'u': // SCORC
		s.restoreCursor()
	case 'h', 'l':
		s.setModes(params, final == 'h')
	case 'c':
		s.deviceAttributes()
	case 'n':
		s.statusReport(argument(params, 0, 0))
	case 't':
		s.windowOperation(argument(params, 0, 0))
	default:
		s.edit(final, params)
	}
}

// edit carries out the sequences that change cells.
func (s *Screen) edit(final byte, params ansi.Params) {
	n := argument(params, 0, 1)
	fill := s.pen.erased()
	l := s.active.lines[s.y]
	switch final {
	case 'J': // ED
		s.eraseDisplay(argument(params, 0, 0), fill)
	case 'K': // EL
		s.eraseLine(argument(params, 0, 0), fill)
	case 'X': // ECH
		l.erase(s.x, min(s.x+n, s.cols), fill)
	case '@': // ICH
		l.insert(s.x, n, fill)
	case 'P': // DCH
		l.remove(s.x, n, fill)
	case 'L', 'M': // IL, DL
		if s.y < s.top || s.y > s.bottom {
			return
		}
		if s.x = 0; final == 'L' {
			s.scrollDown(s.y, s.bottom, n)
		} else {
			s.removeRows(s.y, s.bottom, min(n, s.bottom-s.y+1))
			s.endAbove(s.y, n)
		}
	case 'S': // SU
		s.scrollUp(s.top, s.bottom, n)
		s.endAbove(s.top, n)
	case 'T': // SD
		s.scrollDown(s.top, s.bottom, n)
	default:
		return
	}
	s.pendingWrap = false
	s.touch()
}

// endAbove ends the text above n new rows at the bottom of a region: they do
// not go on with it.
func (s *Screen) endAbove(top, n int) {
	if last := s.bottom - n; last >= top {
		s.endLine(last)
	}
}

// eraseDisplay is ED: to the end, to the start, everything, or the scrollback.
func (s *Screen) eraseDisplay(part int, fill cell) {
	first, end := s.y+1, s.rows
	switch part {
	case 0:
		s.eraseLine(0, fill)
	case 1:
		s.eraseLine(1, fill)
		first, end = 0, s.y
	case 2:
		first = 0
	case 3:
		s.scrollback.clear()
		s.main.lines[0].seq = s.next // it may go on from what is gone
		return
	default:
		return
	}
	if end > first {
		s.endLine(end - 1)
	}
	for _, l := range s.active.lines[first:end] {
		l.reset(fill)
		l.seq = s.next
	}
}

// eraseLine is EL: to the end, to the start, everything.
func (s *Screen) eraseLine(part int, fill cell) {
	l := s.active.lines[s.y]
	switch part {
	case 0:
		l.erase(s.x, s.cols, fill)
		s.endLine(s.y)
	case 1:
		l.erase(0, s.x+1, fill)
	case 2:
		if s.y > 0 {
			s.endLine(s.y - 1)
		}
		s.endLine(s.y)
		l.reset(fill)
	}
}

// setMargins is DECSTBM.
func (s *Screen) setMargins(top, bottom int) {
	if top >= bottom {
		return
	}
	s.top, s.bottom = top, bottom
	s.position(0, 0)
}

// repeat is REP: the character printed last once more, up to the end of the row.
func (s *Screen) repeat(n int) {
	if s.lastCol < 0 || s.pendingWrap {
		return
	}
	r := s.lastRune
	for range min(n, (s.cols-s.x)/runeWidth(r)) {
		s.printRune(r)
	}
}

func (s *Screen) intermediateSequence(cmd ansi.Cmd, params ansi.Params) {
	switch {
	case cmd.Intermediate() == '!' && cmd.Final() == 'p': // DECSTR
		s.softReset()
	case cmd.Intermediate() == '$' && cmd.Final() == 'p': // DECRQM, ANSI modes
		s.reportMode("", argument(params, 0, 0))
	case cmd.Intermediate() == ' ' || cmd.Intermediate() == '\'':
		s.shiftColumns(cmd, argument(params, 0, 1))
	}
}

// shiftColumns moves columns of the scroll region to the left or to the right:
// from the first column on (SL, SR), or from the cursor's (DECIC, DECDC).
func (s *Screen) shiftColumns(cmd ansi.Cmd, n int) {
	x := 0
	if cmd.Intermediate() == '\'' {
		if x = s.x; s.y < s.top || s.y > s.bottom {
			return
		}
	}
	for y := s.top; y <= s.bottom; y++ {
		l := s.active.lines[y]
		switch string([]byte{cmd.Intermediate(), cmd.Final()}) {
		case " A", "'}":
			l.insert(x, n, s.pen.erased())
		case " @", "'~":
			l.remove(x, n, s.pen.erased())
		default:
			return
		}
		s.endLine(y)
		l.seq = s.next
	}
	s.pendingWrap = false
}

func (s *Screen) privateSequence(cmd ansi.Cmd, params ansi.Params) {
	switch {
	case cmd.Intermediate() == '$' && cmd.Final() == 'p': // DECRQM
		s.reportMode("?", argument(params, 0, 0))
	case cmd.Intermediate() != 0:
	case cmd.Final() == 'h' || cmd.Final() == 'l':
		s.setPrivateModes(params, cmd.Final() == 'h')
	case cmd.Final() == 'J' || cmd.Final() == 'K': // DECSED, DECSEL: no cell is protected
		s.edit(cmd.Final(), params)
	case cmd.Final() == 'W' && argument(params, 0, 0) == 5: // DECST8C
		s.tabs.reset()
	case cmd.Final() == 'n':
		s.privateStatusReport(argument(params, 0, 0))
	}
}
