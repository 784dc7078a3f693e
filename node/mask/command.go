package mask

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// optionName stands for the name that an option is.
var optionName = &name{words: []string{""}, chosen: true}

// A reading is what was read of a command.
type reading struct {
	*command
	at       int
	listed   bool     // its words are those of a list: "redis-cli", "-a"
	after    []string // that have to come yet
	seen     int      // which of the flags were there, as bits
	over     bool     // no more of its own options
	operands int
	closed   bool // no more operands
	password int  // where the operand begins that is one, 0: not seen
	reads    bool // a password from its standard input
	here     int  // where that stands, behind <<<, 0: nowhere
}

// command judges the words of the program that is named at text[at:end].
func (e *examiner) command(c *command, at, end int) {
	if hasPrefix(e.text[end:], ".exe") {
		end += len(".exe")
	}
	_, listed := e.listed(end)
	reads := slices.Contains(c.piped, "")
	switch {
	case listed || end < len(e.text) && isBlank(e.text[end]):
	case !reads || end < len(e.text) && (in(e.text[end], token68) || e.text[end] == ':') && !e.view.joined(e.base+end):
		return
	}
	if !e.begins(at) || at > 0 && strings.IndexByte(".:@,", e.text[at-1]) >= 0 || e.isNamed(at) {
		return
	}
	r := reading{command: c, at: at, listed: listed, after: c.after, reads: reads}
	e.words(&r, end)
	if len(r.after) > 0 {
		return
	}
	if r.password > 0 && r.seen == 1<<len(c.flags)-1 {
		e.optionValue(c, &assignment{at: at, closed: r.listed}, r.password)
	}
	if r.reads {
		if r.here > 0 {
			e.optionValue(c, &assignment{at: at}, r.here)
		}
		e.written(c, at)
	}
}

// isNamed reports whether what is at text[at] is the value of a long option, and
// no program: docker run --name mongo.
func (e *examiner) isNamed(at int) bool {
	head := e.before(at, maxContext)
	word := bytes.TrimRight(head, " \t")
	if len(word) == len(head) {
		return false
	}
	word = word[bytes.LastIndexAny(word, " \t")+1:]
	return hasPrefix(word, "--") && bytes.IndexByte(word, '=') < 0
}

// words reads the words of a command, which begin behind text[end].
func (e *examiner) words(r *reading, end int) {
	limit := min(len(e.text), end+maxCommand)
	defer func(from int) { e.work += end - from }(end)
	for {
		from, more := e.nextWord(end, limit)
		if !more {
			return
		}
		to := e.run(visible, from)
		if to == from { // five dashes end everything
			return
		}
		whole, begin := e.unquoted(from, to), e.opening(from, end)
		word := e.text[from:whole]
		if slices.Contains(r.programs, string(word)) || begin == from && hasPrefix(word, "#") {
			return // which is judged on its own, or a remark
		}
		end = to
		next, more := e.word(r, word, begin, whole)
		switch {
		case next > end:
			from = e.blanks(end)
			if whole = e.unquoted(from, next); from < whole && !isQuote(e.text[from]) && (e.endsCommand(whole, next) || !r.listed && e.endsQuote(from, whole, next)) {
				return
			}
			end = min(next, limit)
		case more && begin < from:
			end = min(max(end, e.skip(begin)), limit)
		case !more || e.endsCommand(whole, to) || begin == from && !r.listed && e.endsQuote(from, whole, to):
			return
		}
	}
}

// nextWord returns where the next word of a command begins, without the quotes
// before it: words may be those of a list in JSON or YAML. A command goes on in
// the next line behind a backslash.
func (e *examiner) nextWord(i, limit int) (from int, more bool) {
	for i < limit {
		switch b := e.text[i]; {
		case isBlank(b) || isQuote(b) || b == ',':
			i++
		case b == '\\':
			if i++; i < limit && e.text[i] == '\r' {
				i++
			}
			if i < limit && e.text[i] == '\n' {
				i++
			}
		case b == '\n' || b == '\r' || b == ';' || b == '|' || b == '&' || b == ')' || b == ']':
			return i, false
		default:
			return i, true
		}
	}
	return i, false
}

// opening returns where the quotes begin before the word at text[from].
func (e *examiner) opening(from, least int) int {
	for from > least && (isQuote(e.text[from-1]) || e.text[from-1] == '\\') {
		from--
	}
	return from
}

// endsCommand reports whether a command ends with the word that goes to to, of
// which text[whole:to] was cut off.
func (e *examiner) endsCommand(whole, to int) bool {
	rest := e.text[whole:to]
	return hasPrefix(rest, ";") || hasPrefix(rest, ")") || hasPrefix(rest, "]") || hasPrefix(rest, `\n`) || hasPrefix(rest, `\r`)
}

// endsQuote reports whether the word at text[from:to], of which text[whole:to] was cut off,
// ends a text in quotes that began before it: the command is all of that.
func (e *examiner) endsQuote(from, whole, to int) bool {
	rest := bytes.TrimLeft(e.text[whole:to], `\`)
	return len(rest) > 0 && isQuote(rest[0]) && bytes.Count(e.text[from:min(to, from+maxJudged)], rest[:1])%2 == 1
}

// word judges a word of a command, which begins with the quotes at text[from] and goes to
// text[end]. It returns where what is behind it ends, and whether there is more to read.
func (e *examiner) word(r *reading, word []byte, from, end int) (next int, more bool) {
	option := hasPrefix(word, "-") && (len(word) > 1 || e.isWriting(end))
	switch {
	case len(word) == 0:
	case hasPrefix(word, "<<<"):
		r.here = from + len("<<<")
		return e.skip(r.here), true
	case r.over:
	case len(r.after) > 0 && string(word) == r.after[0]:
		r.after = r.after[1:]
	case len(r.after) > 0 && r.isTaking(word):
		return e.skip(end), true
	case len(r.after) > 0:
		return end, option
	default:
		return e.own(r, word, option, from, end)
	}
	return end, true
}

// own judges a word that is behind those that have to come first.
func (e *examiner) own(r *reading, word []byte, option bool, from, end int) (next int, more bool) {
	if next, found := e.option(r.command, from, end, word); found {
		return next, true
	}
	r.see(word)
	if row := e.lastJoin(end-len(word), end, 0); row > 0 { // it may end with its row
		r.see(word[:row-(end-len(word))])
	}
	if r.password > 0 && e.lastJoin(r.password, end, 0) > 0 {
		r.closed = true // so may the command
	}
	switch {
	case r.isTaking(word):
		return e.skip(end), true
	case bytes.ContainsAny(word[:min(2, len(word))], "<>"):
		r.closed = true // what is behind it is a file
	case option || r.password > 0 && bytes.IndexByte(word, '=') > 0:
		r.closed = r.password > 0
	case r.first:
		r.over = true
		return end, r.reads
	case !r.closed && r.command.operand > 0:
		r.count(from)
		return e.skip(from), true
	}
	return end, true
}

// see notes what a word says of how a password is given.
func (r *reading) see(word []byte) {
	for _, p := range r.piped {
		r.reads = r.reads || string(word) == p || isCluster(word, p)
	}
	for i := range r.flags {
		if isCluster(word, "-"+r.flags[i:i+1]) {
			r.seen |= 1 << i
		}
	}
}

// isCluster reports whether a word is one of short options together, and the given one
// among them.
func isCluster(word []byte, option string) bool {
	return len(option) == 2 && len(word) > 1 && word[0] == '-' && word[1] != '-' && option[0] == '-' &&
		bytes.IndexByte(word, '=') < 0 && bytes.IndexByte(word[1:], option[1]) >= 0
}

// isTaking reports whether an option has the next word as its value.
func (r *reading) isTaking(word []byte) bool {
	for _, o := range r.takes {
		if string(word) == o || isCluster(word, o) && word[len(word)-1] == o[1] {
			return true
		}
	}
	return false
}

// count notes that an operand begins at text[from].
func (r *reading) count(from int) {
	r.operands++
	switch {
	case r.operands == r.operand:
		r.password = from
	case r.operands > r.operand && r.pair == "":
		r.password = 0
	}
}

// skip returns where the word at text[i], or behind blanks there, ends.
func (e *examiner) skip(i int) (next int) {
	if after, listed := e.listed(i); listed {
		i = after
	}
	return e.readValue(&assignment{name: optionName, sign: flag, at: i, closed: true}, i)
}

// option judges the word of a command that begins at text[at], with the quotes before it, and
// goes to text[end], and returns where what is behind it ends.
func (e *examiner) option(c *command, at, end int, word []byte) (next int, found bool) {
	for _, o := range c.apart {
		if string(word) == o || o[0] == '*' && bytes.HasSuffix(word, []byte(o[1:])) {
			return e.behind(c, at, end)
		}
		if strings.HasPrefix(o, "--") && hasPrefix(word, o) && word[len(o)] == '=' {
			return e.optionValue(c, &assignment{at: at}, end-len(word)+len(o)+1), true
		}
	}
	for _, o := range c.glued {
		if hasPrefix(word, o) && len(word) > len(o) {
			return e.optionValue(c, &assignment{at: at}, end-len(word)+len(o)), true
		}
	}
	return 0, false
}

// behind judges the word behind the option at text[at:end].
func (e *examiner) behind(c *command, at, end int) (next int, found bool) {
	a := assignment{at: at}
	from := e.blanks(end)
	if from == end {
		if end, a.closed = e.listed(end); !a.closed {
			return end, true
		}
		from = e.blanks(end)
	}
	return e.optionValue(c, &a, from), true
}

// listed returns what follows the quote and the comma behind a word of a list:
// "redis-cli", "-a", "password".
func (e *examiner) listed(end int) (next int, listed bool) {
	next = end
	for next < len(e.text) && next < end+4 && e.text[next] == '\\' {
		next++
	}
	if next+1 < len(e.text) && isQuote(e.text[next]) && e.text[next+1] == ',' {
		return next + 2, true
	}
	return end, false
}

// optionValue judges the value of an option that begins at text[i], and returns
// where it ends.
func (e *examiner) optionValue(c *command, a *assignment, i int) (next int) {
	a.name, a.sign = optionName, flag
	next = e.readValue(a, i)
	if a.from >= a.to || e.text[a.from] == '-' || c.quoted && e.text[a.from-1] != '\'' {
		return i
	}
	if value := e.text[a.from:a.to]; !hasPrefix(value, c.head) || bytes.IndexByte(value, ':') > 0 && amount(value) {
		return next // ports of a container, or who runs it
	}
	a.from += len(c.head)
	if c.pair != "" && !e.second(c.pair, a) {
		return next
	}
	value := e.text[a.from:a.to]
	typed := e.live(a.from, next) && !hasMark(e.text[a.from:min(next, a.from+maxQuoted)])
	if typed || credible(value) && !isSpoken(value) {
		e.hideValue(a.from, a.to)
	}
	return next
}

// second leaves of a value that is a user and a password the password.
func (e *examiner) second(pair string, a *assignment) (found bool) {
	value := e.text[a.from:min(a.to, a.from+maxJudged)]
	sign := bytes.IndexByte(value, pair[0])
	if sign < 0 {
		return false
	}
	if len(pair) > 1 {
		if sign == 0 || value[0] == pair[1] {
			return false
		}
		if n := bytes.LastIndexByte(value[sign:], pair[1]); n > 0 {
			a.to = a.from + sign + n
		}
	}
	if a.from += sign + 1; a.from < a.to && isQuote(e.text[a.from]) {
		a.from++
	}
	return true
}

// credible reports whether a text that stands where a password has to be is one.
func credible(password []byte) bool {
	return utf8.RuneCount(password) >= leastPassword && !hasMark(password) && !refers(password) && !stands(password) && !says(password) &&
		len(bytes.Trim(password, "x*")) > 0
}

// isSpoken reports whether a word goes on about an option, where somebody writes
// about it.
func isSpoken(value []byte) bool {
	for _, spoken := range []string{"option", "flag", "switch", "argument", "parameter", "command", "and", "the", "for", "with", "instead"} {
		if string(value) == spoken {
			return true
		}
	}
	return false
}

// written judges what is printed into the program that is named at text[at]:
// echo password | program.
func (e *examiner) written(c *command, at int) {
	line := e.before(at, maxCommand)
	bar := bytes.LastIndexByte(line, '|')
	if bar < 0 || bytes.ContainsAny(line[bar:], ";&(`") {
		return
	}
	start := at - len(line)
	end := start + bar
	line = bytes.TrimRight(line[:bar], " \t")
	group := bytes.HasSuffix(line, []byte(")")) || bytes.HasSuffix(line, []byte("}"))
	for range maxPrinted {
		last, printer := -1, ""
		for _, p := range printers {
			if i := bytes.LastIndex(line, []byte(p)); i > last {
				last, printer = i, p
			}
		}
		if last < 0 || !group && !isSimple(line[last:]) {
			return
		}
		if e.begins(start + last) {
			e.printed(c, start+last+len(printer), end, printer == "printf ")
		}
		if line = line[:last]; !group {
			return
		}
	}
}

// isSimple reports whether a text is one command.
func isSimple(text []byte) bool {
	within := byte(0)
	for _, b := range text {
		switch {
		case b == within:
			within = 0
		case within != 0:
		case isQuote(b):
			within = b
		case b == ';' || b == '&':
			return false
		}
	}
	return true
}

// printed judges the words at text[i:end], which are printed; the first one may be how.
func (e *examiner) printed(c *command, i, end int, format bool) {
	at := i
	for {
		from, more := e.nextWord(i, end)
		if !more {
			return
		}
		to := e.run(visible, from)
		begin := e.opening(from, i)
		if from == to || begin == from && e.text[from] == '-' {
			i = max(to, from+1)
			continue
		}
		next := max(e.skip(begin), from+1)
		if _, more := e.nextWord(next, end); !format || !more {
			e.optionValue(c, &assignment{at: at}, begin)
		}
		if begin == from && e.endsCommand(e.unquoted(from, to), to) {
			return
		}
		i, format = next, false
	}
}
