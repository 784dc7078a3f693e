package terminal

import "github.com/charmbracelet/x/ansi"

// control carries out a C0 control function.
func (s *Screen) control(b byte) {
	s.lastCol = -1
	switch b {
	case '\b':
		s.moveTo(s.x-1, s.y)
	case '\t':
		s.moveTo(s.tabs.move(s.x, 1, s.cols), s.y)
	case '\n', '\v', '\f':
		s.lineFeed()
		if s.modes.NewLine {
			s.x = 0
		}
	case '\r':
		s.moveTo(0, s.y)
	case 0x0e: // SO
		s.charsets.selected = 1
	case 0x0f: // SI
		s.charsets.selected = 0
	}
}

// escapeSequence carries out what follows a lone ESC.
func (s *Screen) escapeSequence(cmd ansi.Cmd) {
	s.lastCol = -1
	switch cmd.Intermediate() {
	case 0:
	case '(', ')', '*', '+':
		s.charsets.designate(cmd.Intermediate(), cmd.Final())
		return
	case '#':
		if cmd.Final() == '8' {
			s.alignmentPattern()
		}
		return
	default:
		return
	}
	switch cmd.Final() {
	case '7': // DECSC
		s.saveCursor()
	case '8': // DECRC
		s.restoreCursor()
	case 'c':
		s.reset()
	case 'D': // IND
		s.lineFeed()
	case 'E': // NEL
		s.lineFeed()
		s.x = 0
	case 'H': // HTS
		s.tabs.set(s.x, true)
	case 'M':
		s.reverseIndex()
	case 'Z': // DECID
		s.deviceAttributes()
	case '=':
		s.modes.ApplicationKeypad = true
	case '>':
		s.modes.ApplicationKeypad = false
	case 'N': // SS2
		s.charsets.next = 2
	case 'O': // SS3
		s.charsets.next = 3
	case 'k': // the title of a window of screen and tmux: not ours, nor text
		s.startString(otherString)
	case 'n': // LS2
		s.charsets.selected = 2
	case 'o': // LS3
		s.charsets.selected = 3
	}
}

// lineFeed goes down because the program said so: its line ends here.
func (s *Screen) lineFeed() {
	s.endLine(s.y)
	s.index()
}

// index goes down one row, and scrolls at the bottom of the scroll region.
func (s *Screen) index() {
	s.pendingWrap = false
	switch s.y {
	case s.bottom:
		s.scrollUp(s.top, s.bottom, 1)
	case s.rows - 1:
	default:
		s.y++
	}
}

// reverseIndex goes up one row, and scrolls at the top of the scroll region.
func (s *Screen) reverseIndex() {
	s.pendingWrap = false
	switch s.y {
	case s.top:
		s.scrollDown(s.top, s.bottom, 1)
	case 0:
	default:
		s.y--
	}
}

// moveTo puts the cursor on a cell of the screen, the nearest there is.
func (s *Screen) moveTo(x, y int) {
	s.x = min(max(x, 0), s.cols-1)
	s.y = min(max(y, 0), s.rows-1)
	s.pendingWrap = false
}

// position is moveTo for absolute addresses: in origin mode, rows count from
// the top of the scroll region and end at its bottom.
func (s *Screen) position(x, y int) {
	if s.origin {
		y = min(max(y, 0)+s.top, s.bottom)
	}
	s.moveTo(x, y)
}

// moveRows moves the cursor up or down; a margin stops it unless it is beyond.
func (s *Screen) moveRows(n int) {
	y := s.y + n
	if s.y >= s.top {
		y = max(y, s.top)
	}
	if s.y <= s.bottom {
		y = min(y, s.bottom)
	}
	s.moveTo(s.x, y)
}

// saveCursor is DECSC. A link is not saved.
func (s *Screen) saveCursor() {
	s.active.saved = s.cursorState
	s.active.saved.pen = s.pen.unlinked()
}

// restoreCursor is DECRC. What was saved may come from a larger screen.
func (s *Screen) restoreCursor() {
	link := s.pen.colours & linkMask
	s.cursorState = s.active.saved
	s.pen.colours |= link
	pending := s.pendingWrap
	s.moveTo(s.x, s.y)
	s.pendingWrap = pending && s.x == s.cols-1
}

// alignmentPattern is DECALN.
func (s *Screen) alignmentPattern() {
	s.top, s.bottom, s.origin = 0, s.rows-1, false
	s.moveTo(0, 0)
	for _, l := range s.active.lines {
		l.wrap, l.continues = false, false
		l.fill(0, s.cols, cell{content: 'E'})
	}
	s.allSeq = s.next
}
