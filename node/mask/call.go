package mask

import "bytes"

// calls reports whether a value without quotes begins as code does that calls a
// function, reads an element or makes one: x25519(private, public). What machines make
// has no brackets in it. People choose some that do, so that beside a name of theirs the brackets
// have to hold what code has in them.
func (e *examiner) calls(a *assignment) bool {
	if a.shout && a.tight {
		return false // NAME=value in an environment
	}
	i := a.from
	for i < a.to && i < a.from+2 && (e.text[i] == '&' || e.text[i] == '*' || e.text[i] == '!') {
		i++
	}
	start := i
	for i < a.to && i < start+maxContext && (in(e.text[i], word) || e.text[i] == '.' || e.text[i] == '$') {
		i++
	}
	e.work += i - start
	head := e.text[start:i]
	if i == len(e.text) || !identifies(head) {
		return false
	}
	switch e.text[i] {
	case '[', '{':
		return !a.name.chosen
	case '(':
		return !a.name.chosen || e.arguments(i+1)
	}
	return false
}

// arguments reports whether the brackets that were opened before text[from] hold what
// is given to a function: nothing, several of something, or names. A call that goes on in
// the next line has nothing behind the bracket.
func (e *examiner) arguments(from int) bool {
	depth, to := 1, from
	for ; to < len(e.text) && to < from+maxJudged && e.text[to] != '\n' && e.text[to] != '\r'; to++ {
		switch e.text[to] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	e.work += to - from
	within := e.text[from:to]
	return depth == 0 && (len(within) == 0 || bytes.Contains(within, []byte(", ")) || wordy(within) && bytes.IndexFunc(within, isDigit) < 0) || depth > 0 && len(within) == 0
}

// identifies reports whether text is an identifier as people make them up: figures stand
// at the end of its parts, or have few letters behind them (x25519, sha3_256, k8s.Get).
func identifies(text []byte) bool {
	previous, turns := byte('.'), 0
	for _, b := range text {
		switch {
		case !in(b, alnum):
			turns = 0
		case in(b, digit) && previous == '.':
			return false
		case in(previous, digit) && isLetter(b):
			turns++
		}
		if turns > 1 {
			return false
		}
		previous = b
	}
	return len(text) > 0
}
