package mask

import "bytes"

// puttyEnd begins the line below the private lines of a PuTTY key.
const puttyEnd = "Private-MAC:"

// putty hides the lines that a PuTTY key counts as its private ones.
func (e *examiner) putty(end int) {
	to := e.run(digit, end)
	if to == end || to-end > 3 {
		return
	}
	count := 0
	for _, b := range e.text[end:to] {
		count = count*10 + int(b-'0')
	}
	first := true
	for line := range e.lines(to, min(len(e.text), to+maxArmour)) {
		switch _, like := e.bodyLike(line); {
		case first: // the rest of the line with the count
			first = false
			continue
		case count == 0 || !like:
			return
		}
		count--
		e.hide(line.from, line.to)
	}
}

// pgpass judges a line of a password file of PostgreSQL, of which the port and
// its colons are at text[at:end]: host, port, database, user, password.
func (e *examiner) pgpass(at, end int) {
	head := e.before(at, maxContext)
	head = head[bytes.LastIndexAny(head, " \t\"'")+1:]
	if len(head) == 0 || bytes.IndexByte(head, ':') >= 0 {
		return
	}
	for range 2 { // database and user
		from := end
		for end < len(e.text) && end < from+maxContext && e.text[end] != ':' && in(e.text[end], visible) {
			end++
		}
		e.work += end - from
		if end == from || end == len(e.text) || e.text[end] != ':' {
			return
		}
		end++
	}
	to := end
	for to < len(e.text) && to < end+maxJudged && in(e.text[to], visible) && !isQuote(e.text[to]) {
		if e.text[to] == ':' && e.text[to-1] != '\\' {
			return
		}
		to++
	}
	e.work += to - end
	if to > end && !hasMark(e.text[end:to]) && !refers(e.text[end:to]) && !stands(e.text[end:to]) {
		e.hideValue(end, to)
	}
}

// signature judges what follows sig= in the address of a shared resource of
// Azure, whose other parts say until when it holds and for what.
func (e *examiner) signature(at, end int) {
	const least = 20
	if at == 0 || in(e.text[at-1], word) && !e.afterEscape(at) {
		return
	}
	to := end
	for to < len(e.text) && to < end+maxJudged && (in(e.text[to], token68) || e.text[to] == '%') {
		to++
	}
	e.work += to - end
	live := e.live(end, to)
	if to-end < least && !live || to-end >= least && !mixture(e.text[end:to]) {
		return
	}
	head := e.before(at, maxCommand)
	head = head[bytes.LastIndexAny(head, " \t\"'`")+1:]
	tail := e.text[to:min(len(e.text), to+maxJudged)]
	if stop := bytes.IndexAny(tail, " \t\n\"'`"); stop >= 0 {
		tail = tail[:stop]
	}
	e.work += len(tail)
	for _, part := range []string{"sv=", "se=", "skoid="} {
		if bytes.Contains(head, []byte(part)) || bytes.Contains(tail, []byte(part)) {
			e.hide(end, to)
			return
		}
	}
}
