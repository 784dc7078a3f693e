package mask

import "slices"

// A span is a hidden stretch of a view's text.
type span struct{ from, to int }

// An examiner reads one section of a view and says what in it is hidden.
//
// Each candidate is judged on its own. That masking twice changes nothing
// rests on this: a mark is in no alphabet and is no boundary, so what is left
// of a hidden candidate never is a candidate again, and what was not hidden
// meets the same judgement or, cut shorter by marks, a stricter one.
type examiner struct {
	mask *Mask
	view *view
	text []byte
	base int // where text begins in the view
	// cursor is where in text the next character goes, -1 if it is elsewhere.
	cursor int
	// ends are where else in text something is being written.
	ends []int
	// markers says that lines may begin with the + or - of a diff.
	markers bool
	// runs holds the last run of each alphabet, so that candidates within one
	// run do not read it again and again.
	runs [alphabets]span
	// codedRun is the last value of an address in an address.
	codedRun span
	// armoured is the END line that the last BEGIN line led to.
	armoured int
	spans    []span
	hits     []int  // where in the first section secrets may begin, rising, some of them
	plain    []byte // of what has codes in it
	// work counts the bytes that candidates made the examiner read.
	work int
}

// section examines one section of the view.
func (e *examiner) section(from, to, cursor int) {
	e.text, e.base, e.cursor = e.view.text[from:to], from, cursor
	e.runs, e.codedRun = [alphabets]span{}, span{}
	e.armoured = -1
	l := e.mask.literals
	pair := uint16(0)
	for i, b := range e.text {
		pair = pair<<8 | uint16(b)
		bucket := l.bucket[pair]
		if bucket == 0 {
			continue
		}
		for k := range l.buckets[bucket] {
			a := &l.buckets[bucket][k]
			if beside := i + a.beside; uint(beside) >= uint(len(e.text)) || e.text[beside]|a.any != a.want {
				continue
			}
			if at := i - 1 - a.at; a.literal.stands(e.text, at) {
				if from == 0 && len(e.hits) < maxHits {
					e.hits = append(e.hits, at)
				}
				e.candidate(a.literal, at)
			}
		}
	}
}

func (e *examiner) candidate(l *literal, at int) {
	switch l.kind {
	case prefixKind:
		if from, to, found := e.token(l, at); found {
			e.hide(from, to)
		}
	case jwtKind:
		if from, to, found := e.jwt(at); found {
			e.hide(from, to)
		}
	case nameKind:
		e.named(&names[l.row], at, at+len(l.text))
	case urlKind:
		e.authority(at, at+len(l.text))
	case codedURLKind:
		e.codedAuthority(at, at+len(l.text))
	case bearerKind:
		e.bearer(at, at+len(l.text))
	case basicKind:
		e.basic(at, at+len(l.text))
	case commandKind:
		for _, c := range e.mask.programs[l.row] {
			e.command(c, at, at+len(l.text))
		}
	case cookieKind:
		e.cookies(at, at+len(l.text))
	case middleKind:
		e.middle(&markeds[l.row], at, at+len(l.text))
	case signatureKind:
		e.signature(at, at+len(l.text))
	case pgpassKind:
		e.pgpass(at, at+len(l.text))
	case puttyKind:
		e.putty(at + len(l.text))
	case dumpKind:
		e.dump(at + len(l.text))
	case codesKind:
		e.codes(at + len(l.text))
	case beginKind:
		e.armour(at)
	case endKind:
		if _, private := e.label(at + len(armourEnd)); private || l.text == puttyEnd {
			e.armourAbove(at)
		}
	}
}

// hide hides text[from:to], unless all of it is marks.
func (e *examiner) hide(from, to int) {
	for i := from; i < to; i += len(mark) {
		if isMark(e.text, i) {
			continue
		}
		e.spans = append(e.spans, span{e.base + from, e.base + to})
		return
	}
}

// hideValue hides a whole value, but for the readable prefix of a token that
// begins it.
func (e *examiner) hideValue(from, to int) {
	if readable, end, found := e.tokenAt(from); found && end <= to {
		from = readable
	}
	e.hide(from, to)
}

// live reports whether a candidate that takes text[from:to] may still grow
// because the cursor stands in it or behind it.
func (e *examiner) live(from, to int) bool {
	if from >= to || isMark(e.text, to) {
		return false
	}
	for _, end := range e.ends {
		if end >= from && end <= to {
			return true
		}
	}
	return e.atCursor(from, to)
}

func (e *examiner) atCursor(from, to int) bool { return e.cursor >= from && e.cursor <= to }

// isWriting reports whether something is being written at text[at].
func (e *examiner) isWriting(at int) bool { return e.cursor == at || slices.Contains(e.ends, at) }

// run returns where the run of an alphabet that from is in ends. Characters that
// are written as codes are in it.
func (e *examiner) run(a alphabet, from int) int {
	index := a.index()
	if last := e.runs[index]; from >= last.from && from < last.to {
		return last.to
	}
	to := from
	for next := 1; next > 0; to += next {
		for to < len(e.text) && in(e.text[to], a) && !e.dashes(to) {
			to++
		}
		next = e.codedIn(a, to)
	}
	e.work += to - from
	e.runs[index] = span{from, to}
	return to
}

// dashes reports whether five dashes are at text[at]. They end everything, so
// that nothing hides the BEGIN or END line of a key.
func (e *examiner) dashes(at int) bool {
	return e.text[at] == '-' && hasPrefix(e.text[at:], "-----")
}

// begins reports whether something may begin at text[at]: at the start, after
// a character that cannot be part of a token, or after the rest of an escape.
func (e *examiner) begins(at int) bool {
	if at == 0 || e.view.joined(e.base+at) {
		return true
	}
	switch b := e.text[at-1]; {
	case b == '-':
		return e.lineStarts(at - 1)
	case isMark(e.text, at-len(mark)):
		return false
	case in(b, word):
		return e.afterEscape(at)
	}
	return true
}

// lineStarts reports whether text[at] is the first of its line or word: the
// minus of a diff or of an option.
func (e *examiner) lineStarts(at int) bool {
	return at == 0 || isBlank(e.text[at-1]) || e.text[at-1] == '\n'
}

// afterEscape reports whether the letters before text[at] are the rest of a
// written escape: \n, \x1b[0m, \u003d, or of one that lost its ESC ([31m).
func (e *examiner) afterEscape(at int) bool {
	text := e.text[max(0, at-maxContext):at]
	n := len(text)
	back := func(i int) byte {
		if i > n {
			return 0
		}
		return text[n-i]
	}
	if back(2) == '\\' && (back(1) == 'n' || back(1) == 'r' || back(1) == 't') {
		return true
	}
	percent := 3
	if back(3) == '5' && back(4) == '2' {
		percent = 5 // %253D
	}
	if back(6) == '\\' && back(5) == 'u' || back(4) == '\\' && back(3) == 'x' || back(percent) == '%' {
		return isHex(back(1)) && isHex(back(2))
	}
	if last := back(1); last == 'm' || last == 'K' {
		i := 2
		for in(back(i), digit) || back(i) == ';' {
			i++
		}
		return back(i) == '['
	}
	return false
}
