package mask

import (
	"bytes"
	"slices"
	"unicode"
)

// token judges the prefixed token at text[at]; from is behind what stays
// readable of it.
func (e *examiner) token(l *literal, at int) (from, to int, found bool) {
	for _, longer := range l.longer {
		if at+len(longer) <= len(e.text) && string(e.text[at:at+len(longer)]) == longer {
			return 0, 0, false
		}
	}
	f := &families[l.row]
	whole := e.begins(at)
	if !whole && f.full == 0 && f.sum == nil {
		return 0, 0, false
	}
	body := at + len(l.text)
	to = e.run(f.body, body)
	if from, found = e.tokenTo(f, at, body, to, whole); found {
		return from, to, true
	}
	if to = e.lastJoin(body, to, f.most); to > 0 { // it may end with its row
		from, found = e.tokenTo(f, at, body, to, whole)
	}
	return from, to, found
}

// tokenTo judges the token text[at:to] with its body; whole says that nothing is glued to
// its beginning.
func (e *examiner) tokenTo(f *family, at, body, to int, whole bool) (from int, found bool) {
	prefix, _ := e.decoded(at, body)
	readable := len(prefix)
	token, rest := e.decoded(at, to)
	secret := token[readable:]
	length := len(secret) + rest
	if f.most > 0 && length > f.most || f.whole && to < len(e.text) && in(e.text[to], word) && !e.view.joined(e.base+to) {
		return 0, false
	}
	live := whole && e.live(body, to)
	fits := f.fits
	if live && f.begins != nil {
		fits = f.begins
	}
	if fits != nil {
		e.work += min(length, maxJudged)
		if !fits(token[:min(len(token), maxJudged)]) {
			return 0, false
		}
	}
	from = body
	if f.readable > 0 {
		from = at + f.readable
	}
	switch {
	case live && (!f.id || bytes.IndexByte(secret, '.') >= 0):
	case whole && length >= f.least && (!f.mixed || random(secret)) && !idle(secret):
	case f.sum != nil && length >= f.least && f.sum(token[:min(len(token), maxJudged)]):
	case !whole && f.full > 0 && length >= f.full && random(secret) && !idle(secret):
	default:
		return 0, false
	}
	return from, true
}

// lastJoin returns where in text[from:to], and not more than most behind from (0: anywhere), the last
// row begins that may go on from the row above or may not; -1 if none does.
func (e *examiner) lastJoin(from, to, most int) int {
	if most > 0 {
		to = min(to, from+most+1)
	}
	n, _ := slices.BinarySearch(e.view.joins, e.base+to)
	if n == 0 || e.view.joins[n-1] <= e.base+from {
		return -1
	}
	return e.view.joins[n-1] - e.base
}

// tokenAt judges whatever token begins at text[at].
func (e *examiner) tokenAt(at int) (from, to int, found bool) {
	if at >= len(e.text) {
		return 0, 0, false
	}
	for _, l := range e.mask.prefixes[e.text[at]] {
		if !l.stands(e.text, at) {
			continue
		}
		if l.kind == jwtKind {
			from, to, found = e.jwt(at)
		} else {
			from, to, found = e.token(l, at)
		}
		if found {
			return from, to, true
		}
	}
	return 0, 0, false
}

// remnant hides what text[at] begins with if it may be the rest of a token whose
// beginning is gone, or of a name and its value.
func (e *examiner) remnant(at int) {
	to := e.run(token68, at)
	if rest := e.text[at:to]; len(rest) >= leastRemnant {
		if mixture(rest) || bytes.IndexFunc(rest, unicode.IsLetter) >= 0 && !wordy(rest) {
			e.remnantLines(at, to)
		}
		return
	}
	if to < len(e.text) && e.text[to] == ':' {
		to++
	}
	from := e.blanks(to)
	if to = e.run(token68, from); from > at && to-from >= leastBearer && random(e.text[from:to]) {
		e.hide(from, to)
	}
}

// remnantLines hides text[at:to] and, where it is the first line of all and as
// long as one of a private key, the lines of that length that follow and a
// shorter last one. The END line of something else shows that it is no key.
func (e *examiner) remnantLines(at, to int) {
	length := to - at
	lines := []span{{at, to}}
	if at == 0 && length >= leastArmourLine && e.run(base64Std, at) == to && to < len(e.text) && e.text[to] == '\n' {
		for line := range e.lines(to+1, min(len(e.text), maxArmour)) {
			columns, like := e.bodyLike(line)
			if !like || columns > length {
				last := lines[len(lines)-1].to
				if end := bytes.Index(e.text[last:line.to], []byte(armourEnd)); end >= 0 {
					if _, private := e.label(last + end + len(armourEnd)); !private {
						return
					}
				}
				break
			}
			lines = append(lines, line)
			// A + or / at an edge is trimmed like the sign of a diff.
			if columns < length-3 && line.to < len(e.text) && !hasPrefix(e.text[line.to:], "\n"+armourEnd) {
				break
			}
		}
	}
	for _, line := range lines {
		e.hide(line.from, line.to)
	}
}

// mixture reports whether text has a digit and a letter.
func mixture(text []byte) bool {
	return bytes.IndexFunc(text, isDigit) >= 0 && bytes.IndexFunc(text, unicode.IsLetter) >= 0
}

// random reports whether a body has a stretch, not cut by - _ or a dot, that is
// long and holds a digit and a letter: slugs and names have none.
func random(body []byte) bool {
	const long = 12
	body = body[:min(len(body), maxJudged)]
	length, figures, letters := 0, 0, 0
	for _, b := range body {
		switch {
		case in(b, digit):
			figures++
		case in(b, alnum):
			letters++
		default:
			length, figures, letters = 0, 0, 0
			continue
		}
		length++
		if length >= long && figures > 0 && letters > 0 {
			return true
		}
	}
	return false
}

// idle reports whether a body stands in for a secret, or is made of words alone.
func idle(body []byte) bool {
	head := body[:min(len(body), maxJudged)]
	return stands(body) || bytes.IndexFunc(head, isDigit) < 0 && !allUpper(head) && wordy(head)
}

// stands reports whether a body stands in for a secret: it is one character
// over and over, or begins with a word that says so.
func stands(body []byte) bool {
	for _, end := range []string{"xxx", "...", "example", "examplekey"} {
		if n := len(body) - len(end); n >= 0 && hasFold(body[n:], end) {
			return true
		}
	}
	same := 0
	for same < len(body) && same < maxJudged && body[same]|0x20 == body[0]|0x20 {
		same++
	}
	if same >= 8 && (body[0]|0x20 == 'x' || !in(body[0], alnum)) {
		return true
	}
	body = bytes.TrimLeft(body, "*[_-")
	for _, word := range placeholders {
		if hasFold(body, word) {
			return true
		}
	}
	return false
}

// says reports whether a password is the word for one, as where somebody writes
// about how it is given.
func says(password []byte) bool {
	for _, word := range []string{"pass", "password", "passwd", "passwort", "pwd", "secret", "token", "pw"} {
		if len(password) == len(word) && hasFold(password, word) {
			return true
		}
	}
	return false
}

// placeholders are words that a value begins with that is none.
var placeholders = []string{
	"your-", "your_", "yourkey", "yourtoken", "yoursecret", "yourapi", "yourpass",
	"example", "placeholder", "changeme", "change-me", "change_me", "replace", "insert-", "insert_",
	"redacted", "xxxxxx", "dummy", "sample-", "sample_", "...", "my-secret", "my_secret",
}

// hasFold reports whether text begins with word, which is in lower case.
func hasFold(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		b := text[i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != word[i] {
			return false
		}
	}
	return true
}

// jwt judges the JSON Web Token (RFC 7519) at text[at]: three parts, of which
// the last may be cut, or five for an encrypted one.
func (e *examiner) jwt(at int) (from, to int, found bool) {
	const (
		parts       = 5
		leastHeader = 10
		leastBody   = 6
	)
	if !e.begins(at) {
		return 0, 0, false
	}
	from = at + len("eyJ")
	to = e.run(url, from)
	if to-at < leastHeader {
		return from, to, e.live(from, to)
	}
	for part := 1; part < parts && to < len(e.text) && e.text[to] == '.'; part++ {
		end := e.run(url, to+1)
		if part == 1 && end-to-1 < leastBody {
			found = e.live(from, end)
			if found {
				to = end
			}
			return from, to, found
		}
		if end == to+1 {
			break
		}
		to, found = end, true
	}
	return from, to, found || e.live(from, to)
}
