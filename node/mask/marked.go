package mask

import "bytes"

// A marked is a kind of secret that is known by a stretch in its middle.
type marked struct {
	name        string
	marker      string
	left, right alphabet
	// So many bytes stand on each side. Above leftMost or rightMost (0: none)
	// it is something else.
	leftLeast, leftMost, rightLeast, rightMost int
	// fits tells by what stands on the left what it cannot be; nil: everything
	// can.
	fits func(left []byte) bool
	// glued is a word that may stand right before it: in an address.
	glued string
	// tail says that the left side tells whose it is, and stays readable with
	// the marker.
	tail bool
	// example is a made-up one with | around the marker, counter a text that
	// has the marker and is none.
	example, counter string
}

var markeds = []marked{
	{ // a number, and a token that begins with AA
		name: "Telegram bot token", marker: ":AA", left: digit, leftLeast: 8, leftMost: 10, right: url, rightLeast: 20, tail: true, glued: "/bot",
		example: "1234567890|:AA|" + madeMixed[:33], counter: "12345678:AAB",
	},
	{
		name: "Azure client secret", marker: "Q~", left: token68, leftLeast: 4, leftMost: 4, right: token68, rightLeast: 24, rightMost: 40,
		fits:    func(left []byte) bool { return in(left[len(left)-1], digit) },
		example: "abC8|Q~|" + madeMixed[:34], counter: "FAQ~something.that.is.long.enough.for.it",
	},
	{
		name: "Azure DevOps token", marker: "AZDO", left: alnum, leftLeast: 76, leftMost: 80, right: alnum, rightLeast: 4, rightMost: 4,
		example: madeMixed[:76] + "|AZDO|" + madeMixed[:4], counter: "AZDO_PERSONAL_ACCESS_TOKEN",
	},
	{ // in the middle of every key, also where its beginning is gone
		name: "OpenAI key without its beginning", marker: "T3Blbk" + "FJ", left: url, leftLeast: 12, leftMost: 120, right: url, rightLeast: 12,
		example: madeMixed[:20] + "|T3Blbk" + "FJ|" + madeMixed[20:40], counter: "the marker T3Blbk" + "FJ is in each",
	},
	{
		name: "Mailchimp key", marker: "-us", left: lowerHex, leftLeast: 32, leftMost: 32, right: digit, rightLeast: 1, rightMost: 2,
		example: madeHex[:32] + "|-us|12", counter: "en-us12",
	},
	{
		name: "Terraform token", marker: ".atlasv1.", left: alnum, leftLeast: 14, leftMost: 14, right: url, rightLeast: 20,
		example: madeMixed[:14] + "|.atlasv1.|" + madeMixed[:64], counter: "x.atlasv1.y",
	},
}

// middle judges what the marker at text[at:end] stands in.
func (e *examiner) middle(m *marked, at, end int) {
	from := at
	for from > 0 && at-from < m.leftMost && in(e.text[from-1], m.left) {
		from--
	}
	e.work += at - from
	from = e.afterRest(from, at)
	if from > 0 && in(e.text[from-1], alnum) && !e.afterEscape(from) && (m.glued == "" || !bytes.HasSuffix(e.text[:from], []byte(m.glued))) {
		return
	}
	if at-from < m.leftLeast || m.fits != nil && !m.fits(e.text[from:at]) {
		return
	}
	to := e.run(m.right, end)
	secret, rest := e.decoded(end, to)
	if m.rightMost > 0 && len(secret)+rest > m.rightMost {
		if to = e.lastJoin(end, to, m.rightMost); to < 0 {
			return
		}
		secret, rest = e.decoded(end, to)
	}
	right := len(secret) + rest
	if m.rightMost > 0 && right > m.rightMost || stands(secret) {
		return
	}
	if right < m.rightLeast && !e.live(end, to) {
		return
	}
	if m.tail {
		e.hide(end, to)
		return
	}
	for _, s := range e.spans[max(0, len(e.spans)-1):] {
		if s.from <= e.base+at && s.to >= e.base+to {
			return // with its beginning, which stays readable
		}
	}
	e.hideValue(from, to)
}

// afterRest skips what text[from:at] begins with that belongs to what stands
// before it: the letter of a written newline, the code of a percent sign, the
// minus of a diff.
func (e *examiner) afterRest(from, at int) int {
	switch {
	case from == 0 || from == at:
	case e.text[from-1] == '\\' && (e.text[from] == 'n' || e.text[from] == 'r' || e.text[from] == 't'):
		return from + 1
	case e.text[from-1] == '%' && from+2 <= at:
		return from + 2
	}
	if from < at && e.text[from] == '-' && e.lineStarts(from) {
		return from + 1
	}
	return from
}
