package mask

import (
	"bytes"

	"github.com/clipperhouse/displaywidth"
)

// secret tells a secret value from code, prose and placeholders.
func (e *examiner) secret(a *assignment) bool {
	full := e.text[a.from:a.to]
	if a.coded || beginsCoded(full) {
		full, _ = e.decoded(a.from, a.to)
	}
	value := full[:min(len(full), maxJudged)]
	e.work += len(value)
	switch {
	case len(value) < leastValue || displaywidth.Bytes(value) < leastValue:
		return false
	case stands(value) || refers(value) || path(value) || a.name.header && !a.scheme && wordy(value):
		return false
	case a.scheme:
		return !wordy(value) || random(value)
	case a.sign == compare && !a.quoted:
		return false
	case amount(value):
		return a.name.chosen && bytes.IndexFunc(value, notDigit) < 0
	case !a.quoted && (code(value) || e.calls(a) || !a.tight && namesItself(value)):
		return false
	case e.repeats(a, value) || !a.quoted && (!a.tight || a.sign == colon) && member(value, a.name.chosen) || escapes(value):
		return false
	case bytes.IndexByte(value, ' ') >= 0:
		return a.quoted && phrase(a, value)
	case !wordy(value), a.name.chosen && bytes.IndexFunc(value, isDigit) >= 0:
		return true
	}
	return e.chosenWord(a, value)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isCapital(r rune) bool { return r >= 'A' && r <= 'Z' }

func notDigit(r rune) bool { return !isDigit(r) }

func notHex(r rune) bool { return r >= 0x80 || !in(byte(r), lowerHex|upperHex) }

// chosenWord judges a value that looks like plain words: a weak password, or
// an identifier, or prose.
func (e *examiner) chosenWord(a *assignment, value []byte) bool {
	single := true // one word in one case
	for _, b := range value {
		if !in(b, alnum) || b >= 'A' && b <= 'Z' {
			single = false
		}
	}
	assigned := a.sign == equals && a.tight
	switch {
	case a.shout && assigned && !allUpper(value) && (single || bytes.IndexByte(value, '.') < 0):
		return !isState(value) // NAME=value in an environment
	case !single || isState(value):
		return false
	case a.quoted:
		return a.name.chosen
	case assigned:
		return !isName(value) && (a.name.chosen || !e.argument(a.to))
	}
	// password: word. It is prose or code if more follows.
	rest := e.text[a.to:]
	return a.name.chosen && a.sign == colon && !isName(value) && (len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r')
}

// argument reports whether a value that ends before text[at] is passed on in
// code: f(token=value, …).
func (e *examiner) argument(at int) bool {
	return at < len(e.text) && (e.text[at] == ',' || e.text[at] == ')' || e.text[at] == ';')
}

// isState reports whether a word tells of a secret instead of being one.
func isState(value []byte) bool {
	for _, state := range states {
		if len(value) == len(state) && hasFold(value, state) {
			return true
		}
	}
	return false
}

var states = []string{
	"required", "optional", "incorrect", "accepted", "rejected", "disabled", "protected", "mismatch", "generated",
	"authentication", "unchanged", "undefined", "encrypted", "forgotten", "supported", "deprecated", "available",
	"unavailable", "unauthorized", "credentials", "interactive", "expired", "password", "passwords", "passphrase", "username",
}

// isName reports whether a word is hardly more than one of the names.
func isName(value []byte) bool {
	for i := range names {
		for _, w := range names[i].words {
			if len(value) <= len(w)+8 && len(w) > 4 && containsFold(value, w) {
				return true
			}
		}
	}
	return false
}

// namesItself reports whether a value is an identifier that says, like the
// names, what it holds.
func namesItself(value []byte) bool {
	for _, b := range value {
		if !in(b, word) && b != '.' {
			return false
		}
	}
	for _, last := range []string{"key", "keys", "secret", "token", "password"} {
		if len(value) > len(last) && hasFold(value[len(value)-len(last):], last) {
			return true
		}
	}
	return isName(value)
}

// repeats reports whether a value is the name beside it again, with a little
// more before or behind it: an alias, a constant, C.CONSTANT.
func (e *examiner) repeats(a *assignment, value []byte) bool {
	const leastName, more = 6, 8
	name := e.text[e.identifier(a.at):a.end]
	if a.name.chosen && a.tight || len(name) < leastName || len(value) < len(name) || len(value) > len(name)+more {
		return false
	}
	return bytes.EqualFold(value[:len(name)], name) || bytes.EqualFold(value[len(value)-len(name):], name)
}

// member reports whether a value is one name after the other with dots between,
// as code reads a field: at least one is a word, and figures are few. What people
// choose has none.
func member(value []byte, chosen bool) bool {
	const mostFigures = 4
	parts, figures, words := 0, 0, 0
	for part := range bytes.SplitSeq(value, []byte(".")) {
		part = bytes.Trim(part, "?$#_")
		if len(part) == 0 || !isLetter(part[0]) {
			return false
		}
		for _, b := range part {
			switch {
			case in(b, digit):
				figures++
			case !in(b, word) && b != '$':
				return false
			}
		}
		if len(part) >= 3 && wordy(part) {
			words++
		}
		parts++
	}
	return parts > 1 && words > 0 && figures <= mostFigures && (figures == 0 || !chosen)
}

// escapes reports whether a value is nothing but written characters: \u3299.
func escapes(value []byte) bool {
	const each = len(`\u3299`)
	for i := 0; i < len(value); i += each {
		if i+each > len(value) || value[i] != '\\' || value[i+1] != 'u' {
			return false
		}
	}
	return true
}

func containsFold(value []byte, word string) bool {
	for i := range value {
		if hasFold(value[i:], word) {
			return true
		}
	}
	return false
}

// phrase judges a quoted value of several words. Behind an = or an option stands
// what somebody chose, if it is not about what to choose; elsewhere one of the words
// has to be more than a word.
func phrase(a *assignment, value []byte) bool {
	const least = 4
	given := a.sign == equals || a.sign == flag
	told := a.sign == flag || a.shout && a.tight // of which a variable of an environment is
	if given && a.name.chosen && (told || !aboutItself(value)) || a.name.words[0] == "passphrase" && a.sign != tag {
		return true
	}
	for field := range bytes.FieldsSeq(value) {
		field = bytes.Trim(field, "'\"`!?.,;:()")
		if len(field) < least || path(field) || refers(field) || amount(field) || code(field) {
			continue
		}
		chosen := (given || a.name.chosen && !a.name.assigned) && mixture(field)
		if long, odd := len(field) >= leastValue, !wordy(field); long && odd || chosen && (long || odd) {
			return true
		}
	}
	return false
}

// aboutItself reports whether one of the words of a text is that for a password, or
// tells of one.
func aboutItself(value []byte) bool {
	for field := range bytes.FieldsSeq(value) {
		if field = bytes.Trim(field, "'\"`!?.,;:()"); hasFold(field, "passw") || isState(field) {
			return true
		}
	}
	return false
}

// refers reports whether a value names where the secret is: a variable, a
// template, another store.
func refers(value []byte) bool {
	switch value[0] {
	case '$':
		return len(value) > 1 && (isLetter(value[1]) || value[1] == '_' || value[1] == '{' || value[1] == '(')
	case '<', '{', '[', '(', ':':
		return true
	case '&':
		return hasFold(value, "&lt;") || hasFold(value, "&#x3c;")
	case '%':
		return !beginsCoded(value) && bytes.IndexByte(value[1:], '%') > 0 || len(value) > 1 && (value[1] == '(' || value[1] == '{')
	case '#':
		return len(value) > 1 && value[1] == '{'
	}
	for _, inside := range []string{"://", "${", "{{", "$(", "#{"} {
		if bytes.Contains(value, []byte(inside)) {
			return true
		}
	}
	for _, store := range []string{"vault:", "ref+", "arn:", "secretref:", "env:", "file:", "keyring:", "awskms:", "sops:", "enc["} {
		if hasFold(value, store) {
			return true
		}
	}
	return false
}

// path reports whether a value is the path of a file, or a pattern in slashes.
func path(value []byte) bool {
	rest := value
	for _, head := range []string{"../", "./", "~/", "@"} {
		if hasPrefix(rest, head) {
			rest = rest[len(head):]
			break
		}
	}
	if len(rest) < len(value) && len(rest) > 0 && (wordy(rest) || bytes.IndexByte(rest, '/') >= 0) {
		return true
	}
	if hasPrefix(value, "/") {
		return hasPrefix(value, "/^") || hasPrefix(value, "/(") || wordy(value[1:]) || bytes.Count(value, []byte("/")) > 1 && !random(value)
	}
	return len(value) > 2 && isLetter(value[0]) && value[1] == ':' && value[2] == '\\'
}

// amount reports whether a value is a number, a date, a time or an address.
func amount(value []byte) bool {
	if number := bytes.TrimPrefix(value, []byte("-")); hasFold(number, "0x") && len(number) <= len("0x")+16 {
		return bytes.IndexFunc(number[2:], notHex) < 0
	}
	for i, b := range value {
		switch {
		case in(b, digit):
		case bytes.IndexByte([]byte("-+.:,_/% "), b) >= 0:
		case (b == 'T' || b == 'Z' || b == 'e' || b == 'x' || b == 's' || b == 'm') && i > 0 && in(value[i-1], digit):
		default:
			return false
		}
	}
	return true
}

// code reports whether a value without quotes is an expression: a call, an
// index, a pointer, an arrow.
func code(value []byte) bool {
	i := 0
	for i < len(value) && (value[i] == '*' || value[i] == '&' || value[i] == '!' || value[i] == '@' || value[i] == '-') && i < 2 {
		i++
	}
	start := i
	for i < len(value) && (in(value[i], dotted) && value[i] != '-' || value[i] == '?' || value[i] == '$' || value[i] == '#') {
		i++
	}
	if i == len(value) {
		return start > 0 && wordy(value[start:])
	}
	if i == start {
		return start > 0
	}
	switch value[i] {
	case '(', '[', '{', '<':
		head := value[start:i]
		return wordy(head) || bytes.IndexFunc(head, isDigit) < 0 || bytes.IndexByte(head, '.') > 0 && isLetter(head[0])
	case ',', ';', '?', ')', '}', ']', ':':
		head := value[start:i]
		return (wordy(head) || bytes.IndexFunc(head, isDigit) < 0) && (bytes.ContainsAny(value[i:], "(){}[]=") || hasPrefix(value[i:], "::"))
	case '-', '=', '|', '+':
		rest := value[i:]
		if rest[0] == '+' { // also a character of base64
			return wordy(value[start:i]) && (wordy(rest[1:]) || len(rest) > 1 && isQuote(rest[1]))
		}
		return hasPrefix(rest, "->") || hasPrefix(rest, "=>") || hasPrefix(rest, "||")
	}
	return false
}

func allUpper(value []byte) bool {
	for _, b := range value {
		if b >= 'a' && b <= 'z' {
			return false
		}
	}
	return true
}
