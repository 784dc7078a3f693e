package mask

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A view is a text as a reader sees it: without escape sequences, other
// controls and characters of no width, and with wrapped rows joined. It knows
// where each of its bytes came from.
//
// The text of an OSC sequence (a title, a link) is a section of its own behind
// the main one, so that a secret neither runs into it nor out of it.
type view struct {
	source   []byte
	text     []byte
	pieces   []piece
	sections []int // where each section ends in text
	joins    []int // where rows that may or may not be one were joined, rising
	strings  [][2]int
}

// A piece says that text from at on came from source, until the next piece.
// A blank is a character that the source has not.
type piece struct {
	at, source int
	blank      bool
}

func (v *view) reset() {
	v.source, v.text, v.pieces = v.source[:0], v.text[:0], v.pieces[:0]
	v.sections, v.joins, v.strings = v.sections[:0], v.joins[:0], v.strings[:0]
}

// load fills the view from its source. Lines of exactly width columns are
// joined with the next one; width 0 joins nothing. gaps are source offsets,
// rising, at which a wrapped row lost its last blanks; joints are left out, and
// joined over.
func (v *view) load(zero *zeroWidth, width int, gaps []int, joints []joint) {
	v.section(zero, 0, len(v.source), width, gaps, joints)
	for _, s := range v.strings {
		v.section(zero, s[0], s[1], 0, nil, nil)
	}
}

// section appends source[from:to] as one section.
func (v *view) section(zero *zeroWidth, from, to, width int, gaps []int, joints []joint) {
	v.add(zero, from, to, width, gaps, joints)
	v.sections = append(v.sections, len(v.text))
}

// add appends source[from:to] to the section that is being made.
func (v *view) add(zero *zeroWidth, from, to, width int, gaps []int, joints []joint) {
	source, done := v.source[:to], from
	line := len(v.text) // where the current row begins in text
	take := func(end, next int) {
		if end > done {
			v.pieces = append(v.pieces, piece{at: len(v.text), source: done})
			v.text = append(v.text, source[done:end]...)
		}
		done = next
	}
	stops := &plainStops
	if width > 0 {
		stops = &wrapStops
	}
	for i := from; i < to; {
		for i+8 <= to && printable(binary.LittleEndian.Uint64(source[i:])) {
			i += 8
		}
		for len(gaps) > 0 && i >= gaps[0] {
			take(gaps[0], gaps[0])
			v.pieces = append(v.pieces, piece{at: len(v.text), source: gaps[0], blank: true})
			v.text = append(v.text, ' ')
			gaps = gaps[1:]
		}
		if len(joints) > 0 && i >= joints[0].from {
			take(joints[0].from, joints[0].to)
			v.joins = append(v.joins, len(v.text))
			i, joints = max(i, joints[0].to), joints[1:]
			continue
		}
		if i == to {
			break
		}
		b := source[i]
		if !stops[b] {
			i++
			continue
		}
		switch {
		case b == '\n':
			end := i
			if end > from && source[end-1] == '\r' {
				end--
			}
			take(end, end)
			if end > from && columns(v.text[line:], width) == width {
				v.joins = append(v.joins, len(v.text))
				done = i + 1
			}
			i++
			line = len(v.text) + i - done // behind the end of the line, which is yet to be taken
		case b == escape:
			end, s, e := sequence(source, i)
			take(i, end)
			if e > s {
				v.strings = append(v.strings, [2]int{s, e})
			}
			i = end
		case b < utf8.RuneSelf:
			take(i, i+1)
			i++
		default:
			r, n := utf8.DecodeRune(source[i:])
			if zero.has(r) {
				take(i, i+n)
			}
			i += n
		}
	}
	take(to, to)
}

// printable reports whether eight bytes are printable ASCII. It may err towards
// false.
func printable(eight uint64) bool {
	const each = 0x0101010101010101
	return (eight|(eight-each*' ')|(eight+each))&(each*0x80) == 0
}

// plainStops and wrapStops are the bytes at which loading looks closer.
var (
	plainStops = stopsAt("")
	wrapStops  = stopsAt("\n")
)

func stopsAt(more string) (stops [256]bool) {
	for b := range stops {
		stops[b] = b < 0x20 && b != '\n' && b != '\r' && b != '\t' || b >= rubout
	}
	for i := range len(more) {
		stops[more[i]] = true
	}
	return stops
}

// columns measures a row; rows that cannot reach width are not measured.
func columns(row []byte, width int) int {
	if len(row) < width {
		return 0
	}
	n, ascii := 0, true
	for _, b := range row {
		if b == '\t' {
			n += 8 - n%8
			continue
		}
		if b >= utf8.RuneSelf {
			ascii = false
		}
		n++
	}
	if ascii {
		return n
	}
	return displaywidth.Bytes(row)
}

// from returns where in the source text[at] came from.
func (v *view) from(at int) int {
	i, found := slices.BinarySearchFunc(v.pieces, at, func(p piece, at int) int { return p.at - at })
	if !found {
		i--
	}
	return v.pieces[i].source + at - v.pieces[i].at
}

// origins appends where in the source text[from:to] came from.
func (v *view) origins(spans []span, from, to int) []span {
	i, found := slices.BinarySearchFunc(v.pieces, from, func(p piece, at int) int { return p.at - at })
	if !found {
		i--
	}
	for ; i < len(v.pieces) && v.pieces[i].at < to; i++ {
		end := len(v.text)
		if i+1 < len(v.pieces) {
			end = v.pieces[i+1].at
		}
		p := v.pieces[i]
		if begin := max(from, p.at); !p.blank {
			spans = append(spans, span{p.source + begin - p.at, p.source + min(to, end) - p.at})
		}
	}
	return spans
}

// offset returns where the main section holds what stands at a source offset,
// or the end of what stands before it.
func (v *view) offset(source int) int {
	main := v.sections[0]
	n, found := slices.BinarySearchFunc(v.pieces, source, func(p piece, source int) int {
		if p.at >= main {
			return 1
		}
		return p.source - source
	})
	if found {
		return v.pieces[n].at
	}
	end := main
	if n < len(v.pieces) && v.pieces[n].at < main {
		end = v.pieces[n].at
	}
	if n == 0 {
		return 0
	}
	p := v.pieces[n-1]
	return min(p.at+source-p.source, end)
}

// joined reports whether a row begins at text[at] that may go on from the row
// above or may not.
func (v *view) joined(at int) bool {
	_, found := slices.BinarySearch(v.joins, at)
	return found
}

// zeroWidth is the set of characters of no width below U+10000; those above
// it are asked for one by one.
type zeroWidth [1 << 16 / 64]uint64

func newZeroWidth() *zeroWidth {
	var z zeroWidth
	for r := rune(0x80); r < 1<<16; r++ {
		if hasNoWidth(r) {
			z[r/64] |= 1 << (r % 64)
		}
	}
	return &z
}

func (z *zeroWidth) has(r rune) bool {
	if r < 1<<16 {
		return z[r/64]&(1<<(r%64)) != 0
	}
	return hasNoWidth(r)
}

// hasNoWidth reports whether a character takes no column: a control, or one
// that combines with another.
func hasNoWidth(r rune) bool {
	return r < 0xa0 || displaywidth.Rune(r) == 0
}
