package mask

import "bytes"

// Secrets that stand in lines of their own below a heading.

// dump hides the numbers of a private key that OpenSSL prints: lines of hexadecimal
// with colons, below the name of a number.
func (e *examiner) dump(end int) {
	if rest := e.blanks(end); rest < len(e.text) && e.text[rest] != '\n' && e.text[rest] != '\r' {
		return
	}
	first := true
	for line := range e.lines(end, min(len(e.text), end+maxArmour)) {
		if first { // what is left of the heading
			first = false
			continue
		}
		if !e.isDump(line) {
			return
		}
		e.hide(line.from, line.to)
	}
}

// isDump reports whether a line is made of bytes in hexadecimal with colons between, or was.
func (e *examiner) isDump(line span) bool {
	const each = len("4f:")
	colons := 0
	for i := line.from; i < line.to; {
		switch {
		case isMark(e.text, i):
			i += len(mark)
			continue
		case (i-line.from)%each == each-1:
			if e.text[i] != ':' {
				return false
			}
			colons++
		case !in(e.text[i], lowerHex|upperHex):
			return false
		}
		i++
	}
	return line.from < line.to && (colons > 0 || line.to-line.from == each-1 || e.live(line.from, line.to) || isMark(e.text, line.from))
}

// codes hides the codes for when a second factor is lost, of which the heading ends at
// text[end]: lines of one or some each, perhaps with numbers before them.
func (e *examiner) codes(end int) {
	const least = 2
	var all [mostCodes]span
	n, first := 0, true
	for line := range e.lines(end, min(len(e.text), end+maxCodes)) {
		if first || n == 0 && line.from == line.to {
			first = false
			continue
		}
		code, found := e.code(line)
		if !found || n == len(all) {
			break
		}
		all[n] = code
		n++
	}
	if n == 0 || n < least && !e.goesOn(all[n-1].to) {
		return
	}
	for _, code := range all[:n] {
		e.hide(code.from, code.to)
	}
}

// goesOn reports whether nothing stands behind text[at] but the cursor.
func (e *examiner) goesOn(at int) bool {
	return e.cursor >= at && len(bytes.TrimSpace(e.text[at:min(len(e.text), at+maxCodes)])) == 0
}

// code returns what of a line are codes: figures and letters, without a number before it.
func (e *examiner) code(line span) (code span, found bool) {
	const leastWord, mostWord, leastLine, mostWords = 4, 64, 8, 4
	from := line.from
	i := from
	for i < line.to && i < from+2 && in(e.text[i], digit) {
		i++
	}
	if i > from && i < line.to && (e.text[i] == '.' || e.text[i] == ')' || e.text[i] == ':') {
		from = min(e.blanks(i+1), line.to)
	}
	if from == line.to || e.live(from, line.to) {
		return span{from, line.to}, e.cursor >= from
	}
	words, columns := 0, 0
	for i = from; i < line.to; words++ {
		start, figures, length := i, 0, 0
		for i < line.to && (in(e.text[i], url) || isMark(e.text, i)) {
			if in(e.text[i], digit) {
				figures++
			}
			if isMark(e.text, i) {
				i, figures = i+len(mark)-1, figures+1
			}
			i, length = i+1, length+1
		}
		if i == start || figures == 0 || length < leastWord || length > mostWord || words == mostWords {
			return span{}, false
		}
		columns += length
		i = e.blanks(i)
	}
	return span{from, line.to}, columns >= leastLine
}
