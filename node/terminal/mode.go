package terminal

import "github.com/charmbracelet/x/ansi"

// Modes are what a program asked for that concerns whoever types: how keys,
// pastes and the mouse are to be encoded. All are off at first.
type Modes struct {
	ApplicationCursor bool // DECCKM: cursor keys send SS3
	ApplicationKeypad bool // DECKPAM
	BracketedPaste    bool // 2004
	AlternateScreen   bool // 47, 1047, 1049
	NewLine           bool // LNM: Enter sends CR LF
	Focus             bool // 1004: CSI I and CSI O
	AlternateScroll   bool // 1007: the wheel sends cursor keys on the alternate screen
	Synchronized      bool // 2026: the program is in the middle of a redraw
	Mouse             MouseMode
	MouseEncoding     MouseEncoding
}

// A MouseMode says which mouse events a program wants.
type MouseMode byte

// Mouse modes by their private mode number.
const (
	MouseOff    MouseMode = iota
	MouseX10              // 9: presses
	MouseNormal           // 1000: presses and releases
	MouseButton           // 1002: and motion while a button is held
	MouseAny              // 1003: and all motion
)

// A MouseEncoding says how mouse events are written.
type MouseEncoding byte

// Mouse encodings by their private mode number.
const (
	MouseBytes     MouseEncoding = iota // three bytes
	MouseUTF8                           // 1005
	MouseSGR                            // 1006
	MouseURXVT                          // 1015
	MouseSGRPixels                      // 1016
)

// Modes returns the modes that are set.
func (s *Screen) Modes() Modes { return s.modes }

// setModes is SM and RM.
func (s *Screen) setModes(params ansi.Params, on bool) {
	for i := range params {
		switch argument(params, i, 0) {
		case 4:
			s.insertMode = on
		case 20:
			s.modes.NewLine = on
		}
	}
}

// setPrivateModes is DECSET and DECRST.
func (s *Screen) setPrivateModes(params ansi.Params, on bool) {
	for i := range params {
		mode := argument(params, i, 0)
		if flag := s.privateFlag(mode); flag != nil {
			*flag = on
		} else {
			s.setPrivateMode(mode, on)
		}
	}
}

// privateFlag returns the flag of a mode that is no more than a flag.
func (s *Screen) privateFlag(mode int) *bool {
	switch mode {
	case 1:
		return &s.modes.ApplicationCursor
	case 66:
		return &s.modes.ApplicationKeypad
	case 1004:
		return &s.modes.Focus
	case 1007:
		return &s.modes.AlternateScroll
	case 2004:
		return &s.modes.BracketedPaste
	case 2026:
		return &s.modes.Synchronized
	}
	return nil
}

func (s *Screen) setPrivateMode(mode int, on bool) {
	switch mode {
	case 6: // DECOM
		s.origin = on
		s.position(0, 0)
	case 7: // DECAWM
		s.noAutowrap = !on
		s.pendingWrap = s.pendingWrap && on
	case 25: // DECTCEM
		s.cursorHidden = !on
	case 9, 1000, 1002, 1003:
		s.modes.Mouse = MouseOff
		if on {
			s.modes.Mouse = mouseMode(mode)
		}
	case 1005, 1006, 1015, 1016:
		switch encoding := mouseEncoding(mode); {
		case on:
			s.modes.MouseEncoding = encoding
		case s.modes.MouseEncoding == encoding:
			s.modes.MouseEncoding = MouseBytes
		}
	case 1048:
		if on {
			s.saveCursor()
		} else {
			s.restoreCursor()
		}
	case 47, 1047, 1049:
		s.switchScreen(mode, on)
	}
}

func mouseMode(mode int) MouseMode {
	switch mode {
	case 9:
		return MouseX10
	case 1000:
		return MouseNormal
	case 1002:
		return MouseButton
	case 1003:
		return MouseAny
	}
	return MouseOff
}

func mouseEncoding(mode int) MouseEncoding {
	switch mode {
	case 1005:
		return MouseUTF8
	case 1006:
		return MouseSGR
	case 1015:
		return MouseURXVT
	case 1016:
		return MouseSGRPixels
	}
	return MouseBytes
}

// switchScreen shows the alternate screen or the main one again. Mode 1049
// also keeps the cursor aside and blanks the alternate screen first, 1047
// blanks it when leaving.
func (s *Screen) switchScreen(mode int, on bool) {
	if on == s.modes.AlternateScreen {
		return
	}
	if !on {
		if mode == 1047 {
			s.alternate.reset(s.pen.erased())
		}
		s.showMain()
		if mode == 1049 {
			s.restoreCursor()
		}
		return
	}
	if mode == 1049 {
		s.saveCursor()
	}
	if s.alternate.lines == nil {
		s.alternate.lines = newLines(s.cols, s.rows)
	}
	if mode == 1049 {
		s.alternate.reset(s.pen.erased())
	}
	s.active = &s.alternate
	s.modes.AlternateScreen = true
	s.pendingWrap = false
	s.allSeq = s.next
}

func (s *Screen) showMain() {
	s.active = &s.main
	s.modes.AlternateScreen = false
	s.pendingWrap = false
	s.allSeq = s.next
}

// reportMode answers DECRQM: 1 set, 2 reset, 3 always set, 0 not known.
func (s *Screen) reportMode(prefix string, mode int) {
	known, on := s.ansiMode(mode)
	if prefix == "?" {
		known, on = s.privateMode(mode)
	}
	value := 0
	switch {
	case prefix == "?" && mode == 2027: // grapheme clusters
		value = 3
	case known && on:
		value = 1
	case known:
		value = 2
	}
	s.replyf("\x1b[%s%d;%d$y", prefix, mode, value)
}

func (s *Screen) ansiMode(mode int) (known, on bool) {
	switch mode {
	case 4:
		return true, s.insertMode
	case 20:
		return true, s.modes.NewLine
	}
	return false, false
}

func (s *Screen) privateMode(mode int) (known, on bool) {
	if flag := s.privateFlag(mode); flag != nil {
		return true, *flag
	}
	switch mode {
	case 6:
		return true, s.origin
	case 7:
		return true, !s.noAutowrap
	case 25:
		return true, !s.cursorHidden
	case 9, 1000, 1002, 1003:
		return true, s.modes.Mouse == mouseMode(mode)
	case 1005, 1006, 1015, 1016:
		return true, s.modes.MouseEncoding == mouseEncoding(mode)
	case 47, 1047, 1049:
		return true, s.modes.AlternateScreen
	}
	return false, false
}
