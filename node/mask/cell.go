package mask

import (
	"bytes"
	"unicode"
)

// What stands between a name and its value where there is no sign: in tables, at
// prompts and in SQL.

// unsigned reads what follows a name and blanks, at text[i], where no sign is, and returns
// where the value or the blanks before it begin.
func (e *examiner) unsigned(a *assignment, i int) (value int, found bool) {
	if i == len(e.text) {
		return 0, false
	}
	if value = e.bracketed(i); value > 0 {
		a.sign = colon
		return value, true
	}
	if e.text[i] == '\'' && e.inSQL(a) {
		a.sign, a.sure = flag, true
		return i, true
	}
	if value = e.cell(a, i); value > 0 {
		a.sign = gap
		return value, true
	}
	return 0, false
}

// inSQL reports whether a name is the word of SQL before a password in quotes: in capitals, or
// behind another word of a statement.
func (e *examiner) inSQL(a *assignment) bool {
	if !a.name.chosen {
		return false
	}
	if !bytes.ContainsFunc(e.text[a.at:a.end], unicode.IsLower) {
		return true
	}
	from, to := e.wordBefore(a.at)
	return string(e.text[from:to]) == "with" || string(e.text[from:to]) == "encrypted"
}

// bracketed returns where what is in brackets at text[i] ends, with the colon behind
// it: a prompt that tells what holds without an answer (Secret Key [None]: value). 0 is none.
func (e *examiner) bracketed(i int) (end int) {
	if e.text[i] != '[' {
		return 0
	}
	end = i + 1
	for end < len(e.text) && end < i+maxContext && e.text[end] != ']' && e.text[end] != '\n' {
		end++
	}
	e.work += end - i
	if !hasPrefix(e.text[end:], "]:") {
		return 0
	}
	return end + len("]:")
}

// cell returns where the value begins of a row in a table, of which the name is the first cell and the
// value the last, or the second in a frame. Two blanks or a drawn line are between them, which
// end before text[i] or begin there. 0 is none.
func (e *examiner) cell(a *assignment, i int) (value int) {
	head := e.before(e.identifier(a.at), maxContext)
	left := bytes.TrimLeft(head, " \t")
	frame := ""
	switch {
	case len(left) == 0:
		if i-a.end < 2 && e.text[i-1] != '\t' {
			return 0
		}
	case hasPrefix(left, "|"):
		frame = "|"
	case hasPrefix(left, "│"):
		frame = "│"
	default:
		return 0
	}
	if !hasPrefix(e.text[i:], frame) || len(bytes.TrimLeft(left[len(frame):], " ")) > 0 {
		return 0
	}
	value = e.blanks(i + len(frame))
	to := e.run(visible, value)
	rest := e.text[e.blanks(to):]
	ends := len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r'
	if frame != "" {
		ends = hasPrefix(rest, frame)
	}
	if !ends || !mixture(e.text[value:to]) {
		return 0
	}
	return value
}
