package mask

import (
	"bytes"
	"strings"
)

// Where a secret stands in an address, a cookie or a string of JSON, some of its
// characters are written as codes: %2B or, in an address in an address, %252B,
// \u002B and \/. A code is read as its character wherever a run of characters is.

// maxCode is the bytes of the longest code.
const maxCode = len(`\\\\u0041`)

// coded returns the character that a text begins with the code of, and how long
// the code is; 0 if it begins with none.
func coded(text []byte) (character byte, length int) {
	if len(text) < 2 || text[0] != '%' && text[0] != '\\' {
		return 0, 0
	}
	return readCode(text)
}

// readCode is coded for a text that begins as a code does.
func readCode(text []byte) (character byte, length int) {
	i := 1
	switch text[0] {
	case '%':
		for i+4 <= len(text) && i < 5 && text[i] == '2' && text[i+1] == '5' && isHex(text[i+2]) && isHex(text[i+3]) {
			i += 2
		}
	case '\\':
		for i < len(text) && i < 4 && text[i] == '\\' {
			i++
		}
		if i < len(text) && text[i] == '/' {
			return '/', i + 1
		}
		if !hasPrefix(text[i:], "u00") {
			return 0, 0
		}
		i += len("u00")
	}
	if i+2 > len(text) || !isHex(text[i]) || !isHex(text[i+1]) {
		return 0, 0
	}
	return hexValue(text[i])<<4 | hexValue(text[i+1]), i + 2
}

// beginsCoded reports whether a value begins with the code of a character, and not
// with a variable whose name could be one: %DB_PASSWORD%.
func beginsCoded(value []byte) bool {
	character, n := coded(value)
	return n > 0 && value[0] == '%' && (character < 0x80 || n < len(value) && value[n] == '%')
}

func isHex(b byte) bool { return in(b, lowerHex|upperHex) }

func hexValue(b byte) byte {
	if in(b, digit) {
		return b - '0'
	}
	return b&^0x20 - 'A' + 10
}

// codedIn returns how long the code at text[at] is, if it is that of a character
// of the alphabet, or if somebody is writing it.
func (e *examiner) codedIn(a alphabet, at int) int {
	if at >= len(e.text) || e.text[at] != '%' && e.text[at] != '\\' {
		return 0
	}
	rest := e.text[at:min(len(e.text), at+maxCode)]
	if character, n := coded(rest); n > 0 && in(character, a) {
		return n
	}
	n := 1
	for n < len(rest) && (isHex(rest[n]) || rest[0] == '\\' && (rest[n] == '\\' || rest[n] == 'u')) {
		n++
	}
	if !e.isWriting(at + n) {
		return 0
	}
	return n
}

// decoded returns text[from:to] with the characters that codes in it stand for,
// which holds until the next call. Of a text with codes it is the head, and rest
// is how many bytes are left out.
func (e *examiner) decoded(from, to int) (head []byte, rest int) {
	text := e.text[from:min(to, from+maxJudged)]
	if bytes.IndexByte(text, '%') < 0 && bytes.IndexByte(text, '\\') < 0 {
		return e.text[from:to], 0
	}
	e.work += len(text)
	e.plain = e.plain[:0]
	for i := 0; i < len(text); {
		character, n := coded(text[i:])
		switch {
		case n > 0:
		case text[i] == '%' || text[i] == '\\':
			return e.plain, to - from - len(text) // cut, or yet to be written
		default:
			character, n = text[i], 1
		}
		e.plain = append(e.plain, character)
		i += n
	}
	return e.plain, to - from - len(text)
}

// codedValue reads the value at text[i] of a name in an address in an address, or in
// JSON in one, and returns where it ends.
func (e *examiner) codedValue(a *assignment, i int) (end int) {
	quote, n := coded(e.text[i:])
	if a.quoted = isQuote(quote); a.quoted {
		i += n
	}
	a.from, end = i, i
	if last := e.codedRun; !a.quoted && i >= last.from && i < last.to {
		a.to = last.to
		return last.to
	}
	for end < len(e.text) && end < i+maxQuoted && in(e.text[end], visible) && !isQuote(e.text[end]) && e.text[end] != '&' && !e.dashes(end) {
		character, n := coded(e.text[end:])
		if n > 0 && (character == quote || !a.quoted && strings.IndexByte(endsCoded, character) >= 0) {
			break
		}
		end += max(n, 1)
	}
	e.work += end - i
	if !a.quoted {
		e.codedRun = span{i, end}
	}
	a.to = end
	return end
}

// endsCoded are the characters that end a value where they are written as codes.
const endsCoded = "&;#,\"'<>{} \n"

// codedAuthority judges the part of an address in an address behind the code of
// its "://", like authority.
func (e *examiner) codedAuthority(at, from int) {
	const each = len("%3A") // a longer one is within the password
	if at == 0 || !in(e.text[at-1], alnum) {
		return
	}
	colon, sign, to := -1, -1, from
	for limit := min(len(e.text), from+maxAuthority); to < limit && e.text[to] != '&' && !e.endsURL(to); {
		character, n := coded(e.text[to:])
		if n == each && strings.IndexByte("/?#", character) >= 0 {
			break
		}
		switch to += max(n, 1); {
		case n == each && character == ':' && colon < 0:
			colon = to
		case n == each && character == '@':
			sign = to - n
		}
	}
	e.work += to - from
	switch {
	case colon < 0:
	case sign >= colon && credible(e.text[colon:sign]):
		e.hideValue(colon, sign)
	case sign < 0 && e.live(colon, to) && e.run(digit, colon) != to && !hasMark(e.text[colon:to]):
		e.hide(colon, to)
	}
}

// codings write with codes what stands between words in a prefix.
var codings = []*strings.Replacer{
	strings.NewReplacer("/", "%2F", ":", "%3A", "~", "%7E"),
	strings.NewReplacer("/", "%2f", ":", "%3a", "~", "%7e"),
	strings.NewReplacer("/", "%252F", ":", "%253A", "~", "%257E"),
	strings.NewReplacer("/", `\/`),
}

// codedSpellings returns a text as it is written with codes.
func codedSpellings(text string) []string {
	if !strings.ContainsAny(text, "/:~") {
		return nil
	}
	var all []string
	for _, coding := range codings {
		if spelling := coding.Replace(text); spelling != text {
			all = append(all, spelling)
		}
	}
	return all
}
