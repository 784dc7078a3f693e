package terminal

import (
	"unicode/utf8"

	"collie/node/grid"
)

// texts are what cells name by a number because it is too long for them.
type texts struct {
	clusters table // characters of more than one code point
	links    table // targets of links; 0 is none
}

// appendText appends the text of a cell. A blank is a space, a tail nothing.
func (t *texts) appendText(dst []byte, c cell) []byte {
	switch text := c.content & textMask; {
	case c.content&(clusterFlag|tailFlag) != 0:
		if c.tail() {
			return dst
		}
		return append(dst, t.clusters.texts[text]...)
	case text == 0:
		return append(dst, ' ')
	case text < utf8.RuneSelf:
		return append(dst, byte(text))
	default:
		return utf8.AppendRune(dst, rune(text))
	}
}

// link returns where a cell links to, nothing for most.
func (t *texts) link(c cell) string {
	if number := c.colours >> linkShift; number != 0 {
		return t.links.texts[number-1]
	}
	return ""
}

// cluster returns the number of a character. When there are too many, those
// that no cell of the screen names are forgotten.
func (s *Screen) cluster(text []byte) (uint32, bool) {
	if len(text) > maxClusterBytes {
		return 0, false
	}
	t := &s.texts.clusters
	number, ok := t.number(text)
	if !ok && t.due() {
		old := t.restart()
		s.eachCell(func(c *cell) {
			if c.content&clusterFlag != 0 {
				n, _ := t.number([]byte(old[c.content&textMask]))
				c.content = c.content&^textMask | uint64(n)
			}
		})
		number, ok = t.number(text)
	}
	return number, ok
}

// setLink makes what is written next a link, or ends it. A target to anywhere but
// the web is none, nor is one too many: nobody who looks at a pane from elsewhere
// has its files.
func (s *Screen) setLink(target []byte) {
	s.pen = s.pen.unlinked()
	t := &s.texts.links
	if number, ok := t.numbers[string(target)]; ok {
		s.pen = s.pen.linked(number)
		return
	}
	if len(target) == 0 || !grid.IsLink(string(target)) {
		return
	}
	number, ok := t.number(target)
	if !ok && t.due() {
		old := t.restart()
		s.eachCell(func(c *cell) {
			if n := c.colours >> linkShift; n != 0 {
				n, _ := t.number([]byte(old[n-1]))
				*c = c.unlinked().linked(n)
			}
		})
		number, ok = t.number(target)
	}
	if ok {
		s.pen = s.pen.linked(number)
	}
}

// linked returns the cell with a link.
func (c cell) linked(number uint32) cell {
	return cell{c.content, c.colours&^linkMask | uint64(number+1)<<linkShift}
}

func (s *Screen) eachCell(do func(*cell)) {
	for _, lines := range [][]*line{s.main.lines, s.alternate.lines} {
		for _, l := range lines {
			for i := range l.cells[:l.used] {
				do(&l.cells[i])
			}
		}
	}
}

// A table numbers texts, each once.
type table struct {
	most    int
	numbers map[string]uint32
	texts   []string
	// sweepIn is how many more texts are refused before the next sweep, so that
	// a full table costs each refused text little.
	sweepIn int
}

func newTable(most int) table { return table{most: most, numbers: make(map[string]uint32)} }

// number returns the number of a text, and false when there are too many. The
// caller may then restart the table when due says so.
func (t *table) number(text []byte) (uint32, bool) {
	if n, ok := t.numbers[string(text)]; ok {
		return n, true
	}
	if len(t.texts) == t.most {
		return 0, false
	}
	n := uint32(len(t.texts))
	t.texts = append(t.texts, string(text))
	t.numbers[t.texts[n]] = n
	return n, true
}

// due reports whether a full table is worth a restart.
func (t *table) due() bool {
	t.sweepIn--
	if t.sweepIn > 0 {
		return false
	}
	t.sweepIn = t.most
	return true
}

// restart forgets every text and returns them by their numbers, so that those in
// use can be numbered anew.
func (t *table) restart() (old []string) {
	old, t.texts = t.texts, nil
	clear(t.numbers)
	return old
}
