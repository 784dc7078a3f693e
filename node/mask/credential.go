package mask

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// bearer judges what follows the word Bearer (RFC 6750).
func (e *examiner) bearer(at, end int) {
	from := e.blanks(end)
	if from == end || !e.begins(at) {
		return
	}
	to := e.run(token68, from)
	typed := e.text[at] == 'B' && e.live(from, to)
	secret, _ := e.decoded(from, to)
	if typed || len(secret) >= leastBearer && random(secret) && !stands(secret) {
		e.hideValue(from, to)
	}
}

// basic judges what follows the word Basic (RFC 7617): it is a credential if
// it decodes to a user, a colon and a password.
func (e *examiner) basic(at, end int) {
	from := e.blanks(end)
	if from == end || !e.begins(at) {
		return
	}
	to := e.run(base64Std, from)
	for n := 0; n < 2 && to < len(e.text) && e.text[to] == '='; n++ {
		to++
	}
	if e.text[at] == 'B' && e.live(from, to) && fitsBasic(e.text[from:to]) {
		e.hide(from, to)
		return
	}
	const leastBasic = 8
	var user [48]byte
	encoded := e.text[from:min(to, from+64)]
	encoded = encoded[:len(encoded)/4*4]
	if len(encoded) < leastBasic || wordy(e.text[from:to]) {
		return
	}
	n, _ := base64.StdEncoding.Decode(user[:], encoded)
	colon := false
	for _, b := range user[:n] {
		if b < ' ' || b == rubout {
			return
		}
		colon = colon || b == ':'
	}
	if colon && n >= len(encoded)*3/4-2 {
		e.hide(from, to)
	}
}

// fitsBasic reports whether a text, or its beginning, can be base64 of a user in
// ASCII.
func fitsBasic(encoded []byte) bool {
	var group, user [4]byte
	for i := 0; i < len(encoded) && i < maxContext; i += len(group) {
		for j := copy(group[:], encoded[i:]); j < len(group); j++ {
			group[j] = 'A'
		}
		n, _ := base64.StdEncoding.Decode(user[:], group[:])
		for _, b := range user[:min(n, (len(encoded)-i)*3/4)] {
			if b == ':' {
				return true
			}
			if b < ' ' || b >= rubout {
				return false
			}
		}
	}
	return true
}

// authority judges the part of a URL (RFC 3986) behind its "://": the password
// is what stands between the first colon and the last @ before the host.
func (e *examiner) authority(at, from int) {
	if at == 0 || !in(e.text[at-1], alnum) {
		return
	}
	colon, sign, path, late := -1, -1, -1, -1
	to := from
	for limit := min(len(e.text), from+maxAuthority); to < limit && !e.endsURL(to); to++ {
		switch e.text[to] {
		case ':':
			if colon < 0 {
				colon = to
			}
		case '@':
			if path < 0 {
				sign = to
			}
			late = to
		case '/', '?', '#':
			if path < 0 {
				path = to
			}
		}
	}
	e.work += to - from
	switch {
	case colon < 0 || path >= 0 && path < colon || sign >= 0 && sign < colon || bytes.ContainsAny(e.text[from:colon], "[]"):
		return
	case sign < 0 && late > 0 && e.run(digit, colon+1) != path:
		sign = late // a / or ? in the password
	case sign < 0:
		if path < 0 && e.live(colon+1, to) && e.run(digit, colon+1) != to && !hasMark(e.text[colon+1:to]) {
			e.hide(colon+1, to)
		}
		return
	}
	password := e.text[colon+1 : sign]
	if !credible(password) {
		return
	}
	e.hideValue(colon+1, sign)
}

// endsURL reports whether text[i] cannot be part of a URL, or begins another.
func (e *examiner) endsURL(i int) bool {
	switch b := e.text[i]; b {
	case '"', '\'', '`', '<', '>', '\\':
		return true
	case ':':
		return hasPrefix(e.text[i:], "://")
	default:
		return !in(b, visible) || e.dashes(i)
	}
}

// sessionLike reports whether the name of a cookie says that it is a session.
func sessionLike(name []byte) bool {
	for _, word := range []string{"sess", "sid", "auth", "token", "__host-", "__secure-", "jwt"} {
		if containsFold(name, word) {
			return true
		}
	}
	return false
}

// attributes are what stands beside a cookie that is set.
var attributes = []string{"path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment"}

func isAttribute(name []byte) bool {
	return slices.ContainsFunc(attributes, func(attribute string) bool { return len(name) == len(attribute) && hasFold(name, attribute) })
}

// cookies judges the values of an HTTP header Cookie or Set-Cookie (RFC 6265).
// One that looks random is a session.
func (e *examiner) cookies(at, i int) {
	const least = 16
	if at > 0 && in(e.text[at-1], word) && in(e.text[at], word) {
		return
	}
	if in(e.text[at], word) {
		option := at > 1 && e.text[at-1] == '-' && e.text[at-2] == '-' && i < len(e.text) && (isBlank(e.text[i]) || e.text[i] == '=')
		if i = e.opened(i); i == len(e.text) || e.text[i] != ':' && !option {
			return
		}
		i++
	}
	i = e.opened(e.blanks(i))
	for range maxCookies {
		i = e.blanks(i)
		from := e.run(token68, i)
		sign := bytes.IndexByte(e.text[i:from], '=')
		if sign < 0 {
			return
		}
		name := e.text[i : i+min(sign, maxContext)]
		from = e.opened(i + sign + 1)
		to := from
		for to < len(e.text) && in(e.text[to], visible) && e.text[to] != ';' && !isQuote(e.text[to]) && to < from+maxQuoted {
			to++
		}
		if to < len(e.text) && isQuote(e.text[to]) {
			to = from + len(bytes.TrimRight(e.text[from:to], `\`))
		}
		e.work += to - from
		value := e.text[from:to]
		typed := e.live(from, to) && !isAttribute(name) && (e.atCursor(from, to) || !amount(value))
		told := sessionLike(name) && len(value) >= leastValue && !stands(value) && !refers(value)
		if !hasMark(value) && (typed || told || len(value) >= least && random(value)) {
			e.hideValue(from, to)
		}
		if from > i+sign+1 {
			to = e.opened(to)
		}
		if to == len(e.text) || e.text[to] != ';' {
			return
		}
		i = to + 1
	}
}

// opened returns what is behind the quote at text[i], if one is there.
func (e *examiner) opened(i int) int {
	quote := i
	for quote < len(e.text) && quote < i+4 && e.text[quote] == '\\' {
		quote++
	}
	if quote < len(e.text) && isQuote(e.text[quote]) {
		return quote + 1
	}
	return i
}
