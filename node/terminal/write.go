package terminal

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f
)

// Write shows what a program wrote. It takes everything and never fails.
//
// Escape sequences go through the parser of charmbracelet/x/ansi, which
// allocates nothing and takes about a quarter of the time that an agent's
// output costs. Text goes around it because that is several times as fast, and
// so do control strings, see startString.
func (s *Screen) Write(p []byte) (int, error) {
	n := len(p)
	p = s.finishRune(p)
	for len(p) > 0 {
		switch {
		case s.collecting != noString:
			p = p[s.collect(p):]
		case s.parser.State() != parser.GroundState:
			p = p[s.sequence(p):]
		default:
			p = p[s.ground(p):]
		}
	}
	s.settle()
	return n, nil
}

// ground takes text and C0 controls up to the first ESC, and returns how many
// bytes it took.
func (s *Screen) ground(p []byte) int {
	for i := 0; i < len(p); {
		switch b := p[i]; {
		case b-' ' < del-' ':
			start := i
			for i++; i < len(p) && p[i]-' ' < del-' '; i++ {
			}
			s.printASCII(p[start:i])
		case b >= utf8.RuneSelf:
			if !utf8.FullRune(p[i:]) {
				s.partLen = copy(s.part[:], p[i:])
				return len(p)
			}
			r, size := utf8.DecodeRune(p[i:])
			s.printRune(r)
			i += size
		case b == esc:
			s.parser.Advance(b)
			return i + 1
		default:
			s.control(b)
			i++
		}
	}
	return len(p)
}

// finishRune completes a character whose bytes came in several pieces, and
// returns what is left of p.
func (s *Screen) finishRune(p []byte) []byte {
	for s.partLen > 0 && len(p) > 0 {
		had := s.partLen
		held := s.part
		n := had + copy(held[had:], p)
		if !utf8.FullRune(held[:n]) {
			s.part, s.partLen = held, n
			return nil
		}
		r, size := utf8.DecodeRune(held[:n])
		s.printRune(r)
		if size >= had {
			s.partLen = 0
			return p[size-had:]
		}
		// The first byte began no character; those held behind it may.
		s.partLen = copy(s.part[:], held[size:had])
	}
	return p
}

// sequence feeds an escape sequence to the parser up to its end, or up to the
// string that it starts. The parser sees only the bytes that sequences are made
// of, and no more digits of one number than it can count: a control function in
// their midst would overwrite the command, a byte beyond ASCII would end the
// sequence and show the rest of it.
func (s *Screen) sequence(p []byte) int {
	for i, b := range p {
		switch {
		case b == can || b == sub:
			s.parser.Reset()
			return i + 1
		case b == esc:
			s.parser.Reset()
		case b < ' ':
			s.control(b)
			continue
		case b >= utf8.RuneSelf:
			continue
		case b-'0' > 9:
			s.digits = 0
		case s.digits == maxDigits:
			continue
		default:
			s.digits++
		}
		s.parser.Advance(b)
		switch state := s.parser.State(); state {
		case parser.GroundState:
			return i + 1
		case parser.OscStringState:
			s.startString(oscString)
			return i + 1
		case parser.DcsEntryState:
			s.startString(dcsString)
			return i + 1
		case parser.SosStringState, parser.PmStringState, parser.ApcStringState:
			s.startString(otherString)
			return i + 1
		}
	}
	return len(p)
}

func (s *Screen) initParser() {
	s.parser = ansi.NewParser()
	s.parser.SetParamsSize(maxParameters)
	s.parser.SetDataSize(1) // strings are collected here
	s.parser.SetHandler(ansi.Handler{
		HandleCsi: s.controlSequence,
		HandleEsc: s.escapeSequence,
	})
}
