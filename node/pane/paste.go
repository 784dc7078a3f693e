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

// CleanPaste checks a text that is to be pasted. Control characters other than tab
// and newline are dropped, so the text can neither end the paste early nor press
// a key.
func CleanPaste(text string) (string, error) {
	switch {
	case len(text) > MaxPasteBytes:
		return "", fmt.Errorf("%w: %d bytes, at most %d", ErrPasteSize, len(text), MaxPasteBytes)
	case !utf8.ValidString(text):
		return "", ErrText
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r): // C0, DEL and C1
			return -1
		}
		return r
	}, text), nil
}

// encodePaste returns what a terminal sends when text is pasted. A program that
// asked for brackets gets the newlines as they are; for others each is the Enter
// key, as if typed.
func encodePaste(text string, bracketed bool) ([]byte, error) {
	clean, err := CleanPaste(text)
	if err != nil {
		return nil, err
	}
	if bracketed {
		return []byte(pasteBegin + clean + pasteEnd), nil
	}
	return []byte(strings.ReplaceAll(clean, "\n", "\r")), nil
}
