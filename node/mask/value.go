package mask

import (
	"bytes"
	"strings"
)

// schemes are the words that lead to a credential in an HTTP header.
var schemes = []string{"bearer", "basic", "token", "apikey", "api-key", "digest", "negotiate", "key", "bot", "api-token"}

// readValue reads the value that begins at text[i] or behind blanks there. It
// returns where the value ends as long as its line is still being written.
func (e *examiner) readValue(a *assignment, i int) (end int) {
	text := e.text
	i = e.blanks(i)
	if a.sign == flag {
		i = e.continued(i)
	}
	a.quoted = false
	switch {
	case a.sign == tag:
		return e.element(a, i)
	case a.coded:
		return e.codedValue(a, i)
	}
	quote := i
	if quote+1 < len(text) && isQuote(text[quote+1]) && (text[quote] == '$' || a.sign != flag && strings.IndexByte("bBrRfFuUlLnN@", text[quote]) >= 0) {
		quote++
	}
	slashes := quote
	for quote < len(text) && quote < slashes+4 && text[quote] == '\\' {
		quote++
	}
	if quote < len(text) && isQuote(text[quote]) {
		times := e.opensMany(text[slashes:quote+1], slashes)
		if times == 1 && !a.closed && e.closes(a, quote) {
			a.from, a.to = quote, quote // "NAME=" + value
			return quote
		}
		a.quoted = true
		if times > 1 {
			return e.manyQuoted(a, text[slashes:quote+1], times, slashes)
		}
		a.from = e.scheme(a, quote+1)
		end = e.closing(a.from, text[quote], quote-slashes)
		a.to = e.trimBlanks(a.from, end)
		return end
	}
	a.from = e.scheme(a, i)
	end = e.run(visible, a.from)
	a.to = e.unquoted(a.from, end)
	return end
}

// repeated returns how many times a quote stands at text[at], three at the most.
func (e *examiner) repeated(quote []byte, at int) (times int) {
	for times < 3 && bytes.HasPrefix(e.text[at:], quote) {
		at, times = at+len(quote), times+1
	}
	return times
}

// opensMany returns how many quotes at text[at] open a value: three as in Python,
// two as in a table of CSV, where they are one. Of an empty value it is one.
func (e *examiner) opensMany(quote []byte, at int) (times int) {
	times = e.repeated(quote, at)
	if next := at + times*len(quote); times == 2 && (next == len(e.text) || !in(e.text[next], word)) {
		return 1
	}
	return times
}

// manyQuoted reads a value that as many quotes at text[i] open, and returns where it
// ends: at as many, or with its line.
func (e *examiner) manyQuoted(a *assignment, quote []byte, times, i int) (end int) {
	a.from = i + times*len(quote)
	if times == 3 {
		a.from = e.nextLine(a.from)
	}
	end = a.from
	for end < len(e.text) && end < a.from+maxQuoted && e.text[end] != '\n' && e.text[end] != '\r' && !e.dashes(end) && e.repeated(quote, end) < times {
		end++
	}
	e.work += end - a.from
	a.to = e.trimBlanks(a.from, end)
	return end
}

// element reads what stands in the element that begins at text[i], and returns
// where it ends.
func (e *examiner) element(a *assignment, i int) (end int) {
	a.quoted = true
	glued := e.text[i-1] == '>'
	if next := e.nextLine(i); next > i && hasPrefix(e.text[e.lineStart(e.run(visible, next)):], "</") {
		i, glued = next, true // <password> and </password> in lines of their own
	}
	closes := "<"
	if hasPrefix(e.text[i:], "<![CDATA[") {
		i, closes = i+len("<![CDATA["), "]"
	}
	to := i
	for to < len(e.text) && to < i+maxQuoted && e.text[to] != closes[0] && e.text[to] != '\n' && !e.dashes(to) {
		to++
	}
	e.work += to - i
	a.from, a.to = i, to
	rest := e.text[to:]
	switch {
	case hasPrefix(rest, "</"), hasPrefix(rest, "<!"), hasPrefix(rest, "]]>"):
		return to
	case hasPrefix(rest, closes) && (len(rest) == 1 || rest[1] == '\n' || rest[1] == '\r' || e.isWriting(to+1)):
		return to + 1 // cut, or yet to be closed
	case hasPrefix(rest, closes):
		a.to = i // a placeholder in angle brackets, not an element
	case glued && e.live(i, to):
	case i < to && (!glued || !in(e.text[i], word) || bytes.IndexByte(e.text[i:to], ' ') >= 0):
		a.to = i // prose about an element
	}
	return a.to
}

// continued returns where a command goes on whose line a backslash at text[i]
// ends.
func (e *examiner) continued(i int) int {
	if i == len(e.text) || e.text[i] != '\\' {
		return i
	}
	next := e.nextLine(i + 1)
	if next == i+1 {
		return i
	}
	if e.markers && next < len(e.text) && e.text[next] == '+' {
		next = e.blanks(next + 1)
	}
	return next
}

// nextLine returns where the text of the next line begins, if text[i] ends one.
func (e *examiner) nextLine(i int) int {
	if i < len(e.text) && e.text[i] == '\r' {
		i++
	}
	if i >= len(e.text) || e.text[i] != '\n' {
		return i
	}
	return e.blanks(i + 1)
}

// lineStart returns where the text of the line begins that follows text[i].
func (e *examiner) lineStart(i int) int {
	if next := e.nextLine(e.blanks(i)); next > i {
		return next
	}
	return len(e.text)
}

// closes reports whether the quote behind a name and its sign ends the text in
// quotes that the name is in, as code does that puts a value there.
func (e *examiner) closes(a *assignment, quote int) bool {
	if start := e.identifier(a.at); start > 0 && e.text[start-1] == e.text[quote] {
		return true
	}
	if next := quote + 1; next < len(e.text) && (in(e.text[next], word) || isQuote(e.text[next])) {
		return false
	}
	head := e.before(a.at, maxJudged)
	return len(head) < maxJudged && bytes.Count(head, e.text[quote:quote+1])%2 == 1
}

// scheme skips a scheme word and the blank behind it.
func (e *examiner) scheme(a *assignment, i int) int {
	if !a.name.header && a.name.chosen {
		return i
	}
	for _, s := range schemes {
		end := i + len(s)
		if end < len(e.text) && e.text[end] == ' ' && hasFold(e.text[i:], s) {
			a.scheme = true
			return e.blanks(end)
		}
	}
	return i
}

// closing returns where the text in quotes that begins at from ends. slashes
// is how many backslashes stood before the opening quote: text that is quoted
// in a string of another language. Without a closing quote it ends at its line.
func (e *examiner) closing(from int, quote byte, slashes int) int {
	limit := min(len(e.text), from+maxQuoted)
	run := 0
	for i := from; i < limit; i++ {
		switch b := e.text[i]; {
		case b == '\n' || b == '\r' || e.dashes(i):
			e.work += i - from
			return i
		case b == quote && (slashes == 0 && run%2 == 0 || slashes > 0 && run <= slashes):
			e.work += i - from
			return i - run*min(slashes, 1)
		case b == '\\':
			run++
		default:
			run = 0
		}
	}
	e.work += limit - from
	return limit
}

func (e *examiner) trimBlanks(from, to int) int {
	for to > from && isBlank(e.text[to-1]) {
		to--
	}
	return to
}

// unquoted returns where a value without quotes ends within text[from:end].
func (e *examiner) unquoted(from, end int) int {
	text := e.text
	limit := min(end, from+maxJudged)
	cut := end
scan:
	for i := from; i < limit; i++ {
		e.work++
		switch b := text[i]; b {
		case '"', '\'', '`':
			if i+1 == end || !in(text[i+1], alnum) && !isMark(text, i+1) {
				cut = i
				break scan
			}
		case '\\':
			if i+1 < end && (isQuote(text[i+1]) || text[i+1] == 'n' || text[i+1] == 'r' || text[i+1] == 't' || text[i+1] == '\\') {
				cut = i
				break scan
			}
		case '<':
			if i+1 < end && text[i+1] == '/' {
				cut = i
				break scan
			}
		case '&', ',', ';':
			if e.pair(i+1, end) {
				cut = i
				break scan
			}
		}
	}
	return e.trim(from, cut)
}

// pair reports whether text[i:end] begins with a name and a sign, so that the
// separator before it ended a value.
func (e *examiner) pair(i, end int) bool {
	start := i
	for i < end && i < start+maxContext && (in(e.text[i], dotted) || isQuote(e.text[i])) {
		i++
	}
	e.work += i - start
	return i > start && i < end && (e.text[i] == '=' || e.text[i] == ':' || e.text[i] == ';')
}

// trim drops the punctuation that ends what the value stands in.
func (e *examiner) trim(from, to int) int {
	opened := [3]int{}
	for _, b := range e.text[from:min(to, from+maxJudged)] {
		switch b {
		case '(':
			opened[0]++
		case '[':
			opened[1]++
		case '{':
			opened[2]++
		}
	}
	for to > from {
		switch e.text[to-1] {
		case ',', ';', '"', '\'', '`':
		case ')':
			if opened[0] > 0 {
				return to
			}
		case ']':
			if opened[1] > 0 {
				return to
			}
		case '}':
			if opened[2] > 0 {
				return to
			}
		default:
			return to
		}
		to--
	}
	return to
}
