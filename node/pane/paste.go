package pane

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bracketed paste, xterm's private mode 2004.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// encodePaste returns what a terminal sends when text is pasted. Control
// characters other than tab and newline are dropped, so the text can neither
// end the paste early nor press a key. A program that asked for brackets gets
// the newlines as they are; for others each is the Enter key, as if typed.
func encodePaste(text string, bracketed bool) ([]byte, error) {
	switch {
	case len(text) > MaxPasteBytes:
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrPasteSize, len(text), MaxPasteBytes)
	case !utf8.ValidString(text):
		return nil, ErrText
	}
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && !bracketed:
			return '\r'
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r): // C0, DEL and C1
			return -1
		}
		return r
	}, text)
	if bracketed {
		clean = pasteBegin + clean + pasteEnd
	}
	return []byte(clean), nil
}
