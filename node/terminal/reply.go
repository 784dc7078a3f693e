package terminal

import (
	"bytes"
	"fmt"

	"github.com/charmbracelet/x/ansi"
)

// TakeReplies returns the answers to what the program asked (DA, DSR, CPR,
// DECRQM and the like) since the last call, nil when there are none. They go
// to the program's input. When nobody takes them, the oldest few KiB are kept.
func (s *Screen) TakeReplies() []byte {
	replies := s.replies
	s.replies = nil
	return replies
}

// replyf queues an answer whole or not at all.
func (s *Screen) replyf(format string, args ...any) {
	if reply := fmt.Sprintf(format, args...); len(s.replies)+len(reply) <= maxReplyBytes {
		s.replies = append(s.replies, reply...)
	}
}

// deviceAttributes answers DA1: a VT220 with colours.
func (s *Screen) deviceAttributes() { s.replyf("\x1b[?62;22c") }

// query answers the sequences with the prefixes ">" and "=". Those that set
// something (key encodings) have no effect.
func (s *Screen) query(cmd ansi.Cmd) {
	if cmd.Intermediate() != 0 {
		return
	}
	switch {
	case cmd.Prefix() == '>' && cmd.Final() == 'c': // DA2: VT220, version, no cartridge
		s.replyf("\x1b[>1;10;0c")
	case cmd.Prefix() == '=' && cmd.Final() == 'c': // DA3
		s.replyf("\x1bP!|00000000\x1b\\")
	case cmd.Prefix() == '>' && cmd.Final() == 'q': // XTVERSION
		s.replyf("\x1bP>|collie\x1b\\")
	}
}

// statusReport answers DSR.
func (s *Screen) statusReport(what int) {
	switch what {
	case 5:
		s.replyf("\x1b[0n")
	case 6: // CPR
		row, col := s.reportedCursor()
		s.replyf("\x1b[%d;%dR", row, col)
	}
}

// privateStatusReport answers DECXCPR.
func (s *Screen) privateStatusReport(what int) {
	if what == 6 {
		row, col := s.reportedCursor()
		s.replyf("\x1b[?%d;%dR", row, col)
	}
}

// reportedCursor is the cursor as a program addresses it.
func (s *Screen) reportedCursor() (row, col int) {
	row = s.y + 1
	if s.origin {
		row -= s.top
	}
	return row, s.x + 1
}

// deviceControl answers the two questions that programs wait for: DECRQSS, of
// which the pen and the scroll region are known, and XTGETTCAP with "not known".
// Every other DCS is swallowed.
func (s *Screen) deviceControl(data []byte) {
	setting, asked := bytes.CutPrefix(data, []byte("$q"))
	switch {
	case asked && string(setting) == "m":
		s.replyf("\x1bP1$r%sm\x1b\\", appendStyle([]byte{'0'}, s.pen.style()))
	case asked && string(setting) == "r":
		s.replyf("\x1bP1$r%d;%dr\x1b\\", s.top+1, s.bottom+1)
	case asked:
		s.replyf("\x1bP0$r\x1b\\")
	case bytes.HasPrefix(data, []byte("+q")):
		s.replyf("\x1bP0+r\x1b\\")
	}
}
