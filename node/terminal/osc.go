package terminal

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"collie/node/grid"
)

// A stringKind says which control string is being collected.
type stringKind byte

const (
	noString stringKind = iota
	oscString
	dcsString
	otherString // SOS, PM, APC: swallowed
)

// startString begins a control string. Strings do not go through the parser:
// it would end them at the byte 0x9C, which is also a part of many UTF-8
// characters.
func (s *Screen) startString(kind stringKind) {
	s.parser.Reset()
	s.collecting = kind
	s.collected = s.collected[:0]
}

// collect takes bytes of a control string up to its end and returns how many.
// ESC ends it, since the backslash behind it does nothing of its own.
func (s *Screen) collect(p []byte) int {
	end := 0
	for end < len(p) && !s.endsString(p[end]) {
		end++
	}
	if room := maxStringBytes - len(s.collected); room > 0 {
		s.collected = append(s.collected, p[:min(end, room)]...)
	}
	if end == len(p) {
		return end
	}
	kind := s.collecting
	s.collecting = noString
	switch b := p[end]; b {
	case can, sub: // cancelled
	default:
		switch kind {
		case oscString:
			s.operatingSystemCommand(s.collected)
		case dcsString:
			s.deviceControl(s.collected)
		}
		if b == esc {
			s.parser.Advance(b)
		}
	}
	return end + 1
}

func (s *Screen) endsString(b byte) bool {
	return b == esc || b == can || b == sub || b == bel && s.collecting == oscString
}

// operatingSystemCommand takes titles and links. Everything else has no effect;
// the clipboard (52) is refused.
func (s *Screen) operatingSystemCommand(data []byte) {
	command, text, ok := bytes.Cut(data, []byte{';'})
	if !ok {
		return
	}
	switch string(command) {
	case "0", "2":
		s.title = cleanTitle(text)
	case "8": // parameters, then the target
		if _, target, ok := bytes.Cut(text, []byte{';'}); ok {
			s.setLink(target)
		}
	}
}

// cleanTitle makes text valid, free of control characters and short.
func cleanTitle(text []byte) string {
	title := make([]byte, 0, min(len(text), grid.MaxTitleBytes))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if unicode.IsControl(r) {
			continue
		}
		if len(title)+utf8.RuneLen(r) > grid.MaxTitleBytes {
			break
		}
		title = utf8.AppendRune(title, r)
	}
	return string(title)
}

// windowOperation is XTWINOPS: the size in characters and the title stack.
func (s *Screen) windowOperation(operation int) {
	switch operation {
	case 18:
		s.replyf("\x1b[8;%d;%dt", s.rows, s.cols)
	case 22:
		if len(s.titles) < maxTitles {
			s.titles = append(s.titles, s.title)
		}
	case 23:
		if last := len(s.titles) - 1; last >= 0 {
			s.title, s.titles = s.titles[last], s.titles[:last]
		}
	}
}
