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
	line    Line
	pasting bool
	bracket string // what has come of one
}

// Begin returns a tracker of a pane of which so much is known.
func Begin(line Line) Tracker { return Tracker{line: line} }

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
		if t.bracket += string([]byte{b}); !strings.HasPrefix(pasteBegin, t.bracket) && !strings.HasPrefix(pasteEnd, t.bracket) {
			if t.bracket = ""; b == pasteBegin[0] {
				t.bracket = pasteBegin[:1]
			}
		}
		if len(t.bracket) == len(pasteBegin) {
			t.pasting, t.bracket = t.bracket == pasteBegin, ""
		}
		if Enters(b) && !t.pasting && (i == 0 || typed[i-1] != 0x1b) {
			t.line = Empty
		} else {
			t.line = Begun
		}
	}
}

// Enters reports whether a byte enters the line that a program reads or throws it
// away: Enter, a newline, Ctrl+C, Ctrl+D, Ctrl+U.
func Enters(b byte) bool {
	switch b {
	case '\r', '\n', 3, 4, 21:
		return true
	}
	return false
}
