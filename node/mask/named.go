package mask

import "bytes"

// A sign is what stands between a name and its value.
type sign uint8

const (
	noSign  sign = iota
	colon        // name: value
	equals       // name = value, :=, =>
	compare      // name == value
	flag         // --name value
	tag          // <name>value
	gap          // name   value, of a table
)

// An assignment is a name with its sign and its value.
type assignment struct {
	name   *name
	sign   sign
	tight  bool // no blank beside the sign
	shout  bool // the name is in upper case
	quoted bool
	scheme bool // a word like Bearer was between sign and value
	closed bool // a quote ended the name
	listed bool // only a comma stands between name and value
	coded  bool // in an address, where the sign is written as a code
	sure   bool // what it stands in says that the value is one
	at     int  // where the name begins
	end    int  // where it ends
	from   int
	to     int
}

// named judges the value beside the name at text[at:end].
func (e *examiner) named(n *name, at, end int) {
	a := assignment{name: n, at: at, end: end}
	after := e.number(end)
	if after < len(e.text) && in(e.text[after], word) {
		return
	}
	i, ok := e.readSign(&a, after)
	if !ok || !e.wholeName(&a, end) {
		return
	}
	// Two tries: in "token: string = value" the first value is a type.
	for range 2 {
		next := e.readValue(&a, i)
		if a.from >= a.to || hasMark(e.text[a.from:a.to]) || a.sign == flag && hasPrefix(e.text[a.from:a.to], "--") {
			return
		}
		if n.assigned && a.sign != equals && (a.sign != flag || !n.chosen) && !a.quoted && !a.sure && (a.shout || at == 0 || e.text[at-1] != '_') {
			return
		}
		value := e.text[a.from:a.to]
		if n.sure && a.sign == equals && a.tight && a.shout && !a.closed {
			a.sure = credible(value)
		}
		if a.listed && (!a.quoted || !random(value)) {
			return
		}
		typed := e.live(a.from, next) && (e.atCursor(a.from, next) || !amount(e.text[a.from:a.to])) && !hasMark(e.text[a.from:min(next, a.from+maxQuoted)])
		if typed || e.secret(&a) || a.sure && !refers(value) && !stands(value) && !says(value) {
			e.hideValue(a.from, a.to)
			return
		}
		if a.quoted {
			return
		}
		if i, ok = e.readSign(&assignment{name: n, at: at}, a.to); !ok || e.text[i-1] != '=' && !isBlank(e.text[i-1]) {
			return
		}
		a.sign, a.scheme = equals, false
	}
}

// wholeName reads the case of the name that ends at end and reports whether it
// is not merely the end of a longer word.
func (e *examiner) wholeName(a *assignment, end int) bool {
	a.shout = true
	for _, b := range e.text[a.at:end] {
		if b >= 'a' && b <= 'z' {
			a.shout = false
		}
	}
	if !a.name.alone || a.at == 0 || !in(e.text[a.at-1], alnum) {
		return true
	}
	camel := e.text[a.at] < 'a' && e.text[a.at-1] >= 'a'
	return camel || e.afterEscape(a.at)
}

// number skips the figures that a name may end with: password2, Unseal Key 1:
func (e *examiner) number(i int) int {
	end := i
	if end < len(e.text) && (e.text[end] == '_' || e.text[end] == ' ') {
		end++
	}
	from := end
	for n := 0; n < 3 && end < len(e.text) && in(e.text[end], digit); n++ {
		end++
	}
	if end == from || e.text[from-1] == ' ' && (end == len(e.text) || e.text[end] != ':') {
		return i
	}
	return end
}

// readSign reads what follows a name: its closing quote or bracket, blanks and
// the sign, and returns where the value or the blanks before it begin.
func (e *examiner) readSign(a *assignment, i int) (int, bool) {
	text := e.text
	named := i
	for i < len(text) && i < named+4 && text[i] == '\\' {
		i++
	}
	if i < len(text) && isQuote(text[i]) {
		i++
		if i < len(text) && text[i] == text[i-1] { // in a table of CSV
			i++
		}
		a.closed = true
	} else {
		i = named
	}
	if i < len(text) && text[i] == '%' {
		if character, n := coded(text[i:]); isQuote(character) {
			i += n
			a.closed = true
		}
	}
	if i < len(text) && text[i] == ']' {
		i++
	}
	blank := e.blanks(i)
	rest := text[blank:]
	a.tight = blank == i
	operator := 0
	written, code := byte(0), 0
	if len(rest) > 0 && rest[0] == '%' {
		written, code = coded(rest)
	}
	a.coded = code > 0
	switch {
	case written == '=':
		a.sign, operator = equals, code
	case written == ':':
		a.sign, operator = colon, code
	case hasPrefix(rest, "===") || hasPrefix(rest, "!=="):
		a.sign, operator = compare, 3
	case hasPrefix(rest, "==") || hasPrefix(rest, "!="):
		a.sign, operator = compare, 2
	case hasPrefix(rest, "::=") || hasPrefix(rest, ":::="):
		a.sign, operator = equals, bytes.IndexByte(rest, '=')+1
	case hasPrefix(rest, "=~"), hasPrefix(rest, "::"):
		return 0, false
	case hasPrefix(rest, ":=") || hasPrefix(rest, "=>") || hasPrefix(rest, "?=") || hasPrefix(rest, "+=") || hasPrefix(rest, ".="):
		a.sign, operator = equals, 2
	case hasPrefix(rest, "="):
		a.sign, operator = equals, 1
	case hasPrefix(rest, ":"):
		a.sign, operator = colon, 1
	case hasPrefix(rest, ">") && e.tagged(a.at):
		a.sign, operator = tag, 1
	case blank > i && i == named && e.optioned(a.at):
		a.sign = flag
	case blank > i && i == named && e.netrc(a.at, blank):
		a.sign, a.sure = flag, true
	case a.closed && hasPrefix(rest, ",") && e.quotes(blank+1):
		a.sign, a.listed, operator = colon, true, 1 // f("NAME", "value")
	default:
		if a.end > 0 && blank > i && i == named {
			if value, found := e.unsigned(a, blank); found {
				return value, true
			}
		}
		if operator = e.typed(blank, named); operator == 0 {
			return 0, false
		}
		a.sign = equals
	}
	i = blank + operator
	if i < len(text) && isBlank(text[i]) {
		a.tight = false
	}
	return i, true
}

// quotes reports whether a quote stands at text[i], or behind blanks there.
func (e *examiner) quotes(i int) bool {
	i = e.blanks(i)
	return i < len(e.text) && isQuote(e.text[i])
}

// typed returns how long a type and the sign behind it are, of a declaration
// that has them between a name and its value in quotes: token string = "value".
func (e *examiner) typed(i, name int) int {
	end := i
	for end < len(e.text) && end < i+maxBlanks && in(e.text[end], alnum) {
		end++
	}
	e.work += end - i
	sign := e.blanks(end)
	if i == name || end == i || sign == end || sign >= len(e.text) || e.text[sign] != '=' || !e.quotes(sign+1) {
		return 0
	}
	return sign + 1 - i
}

func (e *examiner) blanks(i int) int {
	end := min(len(e.text), i+maxBlanks)
	for i < end && isBlank(e.text[i]) {
		i++
	}
	return i
}

// identifier returns where the identifier begins that goes on at text[at].
func (e *examiner) identifier(at int) int {
	least := max(0, at-maxContext)
	for at > least && (in(e.text[at-1], dotted) || e.text[at-1] == ':') {
		at--
	}
	return at
}

// tagged reports whether the name at text[at] is that of an XML element.
func (e *examiner) tagged(at int) bool {
	start := e.identifier(at)
	return start > 0 && e.text[start-1] == '<'
}

// optioned reports whether the name at text[at] is that of an option, which
// begins with two dashes, or with one that begins its word.
func (e *examiner) optioned(at int) bool {
	start := e.identifier(at)
	if dashes := bytes.LastIndex(e.text[start:at], []byte("--")); dashes >= 0 {
		return e.begins(start + dashes)
	}
	return e.text[start] == '-' && (e.lineStarts(start) || isQuote(e.text[start-1]) || e.text[start-1] == '+' && e.lineStarts(start-1))
}

// netrc reports whether the name at text[at] is that of an entry in the form of
// .netrc, which may go over several lines: machine host login user password value.
// In code that has these words as fields, host and value are of one type.
func (e *examiner) netrc(at, value int) bool {
	login := false
	for range 4 { // pairs before this one
		from, to := e.wordBefore(at)
		if string(e.text[from:to]) == "default" {
			return login
		}
		key, end := e.wordBefore(from)
		switch string(e.text[key:end]) {
		case "machine":
			return login && !bytes.Equal(e.text[from:to], e.text[value:e.run(visible, value)])
		case "login":
			login = true
		case "account", "port":
		default:
			return false
		}
		at = key
	}
	return false
}

// wordBefore returns the word that ends before text[at], also in a line above,
// if it is no longer than maxContext.
func (e *examiner) wordBefore(at int) (from, to int) {
	to = at
	for to > 0 && to > at-maxContext && (isBlank(e.text[to-1]) || e.text[to-1] == '\n' || e.text[to-1] == '\r') {
		to--
	}
	from = to
	for from > 0 && from > to-maxContext && in(e.text[from-1], visible) {
		from--
	}
	e.work += at - from
	return from, to
}

// before returns what stands before text[at] in its line, at most so many bytes.
func (e *examiner) before(at, most int) []byte {
	head := e.text[max(0, at-most):at]
	head = head[bytes.LastIndexByte(head, '\n')+1:]
	e.work += len(head)
	return head
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

func hasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
}

func hasMark(text []byte) bool {
	for i := range text {
		if text[i] == mark[0] && isMark(text, i) {
			return true
		}
	}
	return false
}
