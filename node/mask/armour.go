package mask

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

const (
	armourBegin = "-----BEGIN "
	armourEnd   = "-----END "
)

// label reads the rest of a BEGIN or END line and reports whether it is that of
// a private key.
func (e *examiner) label(from int) (end int, private bool) {
	rest := e.text[from:min(len(e.text), from+maxContext)]
	n := bytes.Index(rest, []byte("-----"))
	if n < 0 || !bytes.Contains(rest[:n], []byte("PRIVATE KEY")) {
		return 0, false
	}
	for _, b := range rest[:n] {
		if b != ' ' && !in(b, upper) {
			return 0, false
		}
	}
	return from + n + len("-----"), true
}

// armour hides the body of the private key (RFC 7468, OpenPGP) whose BEGIN line
// is at text[at]. Between BEGIN and END everything is body. Without an END the
// body is what looks like it, line by line: the rest of it is off the screen.
func (e *examiner) armour(at int) {
	from, private := e.label(at + len(armourBegin))
	if !private {
		return
	}
	rest := e.text[from:min(len(e.text), from+maxArmour)]
	if next := bytes.Index(rest, []byte(armourBegin)); next >= 0 {
		rest = rest[:next]
	}
	e.work += len(rest)
	if end := bytes.Index(rest, []byte(armourEnd)); end >= 0 {
		e.armoured = from + end
		if e.body(from, from+end) {
			return
		}
		rest = rest[:end]
	}
	body := false
	for line := range e.lines(from, from+len(rest)) {
		columns, like := e.bodyLike(line)
		long := columns >= leastArmour
		switch {
		case line.from == line.to || armourHeader(e.text[line.from:line.to]):
			continue
		case !like || !body && !long && !e.live(line.from, line.to):
			return
		}
		e.hide(line.from, line.to)
		if !long {
			return
		}
		body = true
	}
}

// body hides what stands between a BEGIN and its END line, if most of it looks
// like the body of a key: code that names both lines has none.
func (e *examiner) body(from, to int) (hidden bool) {
	like, other := 0, 0
	for line := range e.lines(from, to) {
		columns, whole := e.bodyLike(line)
		switch {
		case whole && columns >= leastArmour:
			like += columns
		case whole || armourHeader(e.text[line.from:line.to]): // a last line, or a word
		case e.longest(line) >= leastGlued: // with a number, or glued to other text
			like += line.to - line.from
		default:
			other += line.to - line.from
		}
	}
	if like == 0 || other > like {
		return false
	}
	for line := range e.lines(from, to) {
		if !armourHeader(e.text[line.from:line.to]) {
			e.hide(line.from, line.to)
		}
	}
	return true
}

// longest returns the bytes of the longest run of base64 in a line.
func (e *examiner) longest(line span) int {
	most := 0
	for i := line.from; i < line.to; {
		end := min(e.run(base64Std, i), line.to)
		most = max(most, end-i)
		i = end + 1
	}
	return most
}

// armourAbove hides the body above an END line whose BEGIN is off the screen.
func (e *examiner) armourAbove(at int) {
	if e.armoured == at {
		return
	}
	end := at
	if !e.view.joined(e.base + at) { // otherwise the row above is full and may go on here
		head := e.before(at, maxJudged)
		if end = at - len(head) - 1; end < 0 || e.text[end] != '\n' {
			return
		}
	}
	for first := true; ; first = false {
		begin := end - len(e.before(end, maxQuoted))
		line := e.trimLine(begin, end)
		columns, like := e.bodyLike(line)
		if !like || columns < leastArmour && !first {
			return
		}
		e.hide(line.from, line.to)
		if end = begin - 1; end < 0 || e.text[end] != '\n' {
			return
		}
	}
}

// lines yields the lines of text[from:to], also those that are cut by a newline
// written as \n, without what the body stands in: indent, quotes, a diff's sign.
func (e *examiner) lines(from, to int) func(yield func(span) bool) {
	return func(yield func(span) bool) {
		for from < to {
			end, next := e.lineEnd(from, to)
			if !yield(e.trimLine(from, end)) {
				return
			}
			from = next
		}
	}
}

// lineEnd returns where the line that begins at from ends and the next begins.
func (e *examiner) lineEnd(from, to int) (end, next int) {
	for i := from; i < to; i++ {
		e.work++
		switch b := e.text[i]; {
		case b == '\n':
			return i, i + 1
		case b == '\\' && i+1 < to && (e.text[i+1] == 'n' || e.text[i+1] == 'r'):
			return i, i + 2
		}
	}
	return to, to
}

func (e *examiner) trimLine(from, to int) span {
	text := e.text
	signed := false
	for from < to {
		b := text[from]
		switch {
		case isBlank(b) || isQuote(b) || b == '\r' || b == '|' || b == '>' || b == '#' || b == '*':
			from++
		case b == '/' && from+1 < to && text[from+1] == '/':
			from += 2
		case (b == '+' || b == '-') && e.markers && !signed:
			signed = true
			from++
		case isFrame(utf8.DecodeRune(text[from:to])) && !isMark(text, from):
			_, n := utf8.DecodeRune(text[from:to])
			from += n
		default:
			goto tail
		}
	}
tail:
	for from < to {
		b := text[to-1]
		switch {
		case isBlank(b) || isQuote(b) || b == '\r' || b == '\\' || b == ',' || b == ';' || b == ')' || b == '|':
			to--
		case b == '+' && to-2 >= from && (isBlank(text[to-2]) || isQuote(text[to-2])):
			to--
		case isFrame(utf8.DecodeLastRune(text[from:to])) && !isMark(text, to-len(mark)):
			_, n := utf8.DecodeLastRune(text[from:to])
			to -= n
		default:
			return span{from, to}
		}
	}
	return span{from, from}
}

// isFrame reports whether a decoded character is one that programs draw frames
// with.
func isFrame(r rune, _ int) bool {
	return r >= utf8.RuneSelf && r != utf8.RuneError && unicode.In(r, unicode.S, unicode.P, unicode.Z)
}

// bodyLike measures a line and reports whether it could be the body of a key:
// base64, or what is left of it. A line that has some marks was no body when
// the rest of it was hidden.
func (e *examiner) bodyLike(line span) (columns int, like bool) {
	marked := 0
	for i := line.from; i < line.to; columns++ {
		switch {
		case in(e.text[i], base64Std) || e.text[i] == '=':
			i++
		case isMark(e.text, i):
			marked++
			i += len(mark)
		default:
			return columns, false
		}
	}
	return columns, columns > 0 && (marked == 0 || marked == columns)
}

// armourHeader reports whether a line is one of those above the body that hold
// nothing secret.
func armourHeader(line []byte) bool {
	for _, header := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:"} {
		if hasPrefix(line, header) {
			return true
		}
	}
	return false
}
