// Package draft knows whether a line was begun in a pane and not entered yet.
//
// A program that reads whole lines shows nothing from which that can be told for
// sure: what it writes pushes a half-typed line away. So whoever passes the bytes
// on keeps count of them, for as long as the pane lives: a message of somebody else
// that is typed behind a half-typed line would be entered together with it.
//
// A Tracker errs on the side of a line that was begun. It holds no byte of what
// was typed but the beginning of a bracket of a paste.
package draft

import "strings"

// A Line is what is known of the line that is being typed.
type Line string

// What may be known of a line.
const (
	Unknown Line = "" // somebody typed past whoever counts, or may have
	Empty   Line = "empty"
	Begun   Line = "begun"
)

// A Tracker follows the bytes that are typed in one pane.
type Tracker struct {
	line Line
	// erased is what Ctrl+U makes of the line: it takes what stands before the cursor,
	// so all of it only while the cursor can be nowhere but at the end.
	erased  Line
	pasting bool
	bracket string // what has come of one
}

// Begin returns a tracker of a pane of which so much is known.
func Begin(line Line) Tracker { return Tracker{line: line, erased: line} }

// Line returns what is known by now.
func (t *Tracker) Line() Line { return t.line }

// Bracketed paste, xterm's private mode 2004.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Feed takes what was typed at once. Inside a bracketed paste a newline is text,
// and behind an Escape it is a chord (Alt+Enter): neither enters anything.
func (t *Tracker) Feed(typed []byte) {
	for i, b := range typed {
		chord := i > 0 && typed[i-1] == escape
		text := t.bracketed(b)
		switch {
		case t.pasting || chord:
			t.line = Begun
		case b == eof: // readline deletes a character at it, and a terminal hands on what it has
			continue
		case b == erase:
			t.line = t.erased
			continue
		case Empties(b):
			t.line, t.erased = Empty, Empty
			continue
		default:
			t.line = Begun
		}
		if !text && b < ' ' && b != '\b' {
			t.erased = Begun
		}
	}
}

// bracketed reports whether a byte is part of what may be a bracket of a paste.
func (t *Tracker) bracketed(b byte) bool {
	before := t.bracket
	if t.bracket += string([]byte{b}); !strings.HasPrefix(pasteBegin, t.bracket) && !strings.HasPrefix(pasteEnd, t.bracket) {
		if before != "" { // a cursor key, or a chord
			t.erased = Begun
		}
		if t.bracket = ""; b == escape {
			t.bracket = string(rune(escape))
		}
	}
	part := t.bracket != ""
	if len(t.bracket) == len(pasteBegin) {
		t.pasting, t.bracket = t.bracket == pasteBegin, ""
	}
	return part
}

// Keys that matter here besides those that enter a line.
const (
	interrupt = 3  // Ctrl+C
	eof       = 4  // Ctrl+D
	erase     = 21 // Ctrl+U
	escape    = 0x1b
)

// Empties reports whether a byte by itself empties the line that a program reads, if the
// cursor is at its end: Enter, a newline, Ctrl+C, Ctrl+U.
func Empties(b byte) bool { return b == '\r' || b == '\n' || b == interrupt || b == erase }
