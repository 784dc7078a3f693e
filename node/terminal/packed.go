package terminal

import (
	"encoding/binary"
	"unicode/utf8"

	"collie/node/grid"
)

// A packed line is its text in UTF-8 with marks below 0x20 between, and ends
// with markEnd. Blanks at the end are left out as in a [grid.Row].
const (
	markEnd     = 0x00
	markWrap    = 0x01 // first byte of a line that goes on in the next
	markStyle   = 0x02 // two uvarints: the style from here on
	markWide    = 0x03 // the next character has two columns
	markCluster = 0x04 // a byte n; the next character is n bytes
	markBlanks  = 0x05 // uvarint n: n cells that were never written
	markLink    = 0x07 // uvarint n and n bytes: where the text from here on links to, nowhere for 0
	markGoesOn  = 0x06 // first byte, or after markWrap, of a line that goes on from the one before
)

// packLine appends a line.
func packLine(dst []byte, l *line, t *texts) []byte {
	cells := trim(l.cells[:l.used], l.wrap)
	if l.wrap {
		dst = append(dst, markWrap)
	}
	if l.continues {
		dst = append(dst, markGoesOn)
	}
	var style cell
	links := 0
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		if next := c.style(); next != style {
			if next.unlinked() != style.unlinked() {
				dst = append(dst, markStyle)
				dst = binary.AppendUvarint(dst, next.content>>attributeShift)
				dst = binary.AppendUvarint(dst, next.unlinked().colours)
			}
			if next.colours&linkMask != style.colours&linkMask {
				dst = packLink(dst, t.link(next), &links)
			}
			style = next
		}
		switch content := c.content & contentMask; {
		case content-' ' < del-' ':
			dst = append(dst, byte(content))
		case content == 0:
			n := 1
			for i+1 < len(cells) && cells[i+1] == c {
				i++
				n++
			}
			dst = binary.AppendUvarint(append(dst, markBlanks), uint64(n))
		default:
			dst = packCharacter(dst, c, t)
		}
	}
	return append(dst, markEnd)
}

// packLink appends where text links to, as long as the line has not too many links.
func packLink(dst []byte, link string, links *int) []byte {
	if *links += len(link); *links > grid.MaxRowLinkBytes {
		link = ""
	}
	dst = binary.AppendUvarint(append(dst, markLink), uint64(len(link)))
	return append(dst, link...)
}

// packCharacter appends a character beyond ASCII; a tail adds nothing.
func packCharacter(dst []byte, c cell, t *texts) []byte {
	if c.wide() {
		dst = append(dst, markWide)
	}
	if c.content&clusterFlag != 0 {
		dst = append(dst, markCluster, byte(len(t.clusters.texts[c.content&textMask])))
	}
	return t.appendText(dst, c)
}

// An unpacker goes through the cells of a packed line.
type unpacker struct {
	data      []byte
	wrap      bool
	continues bool
	style     cell
	link      []byte
	// Of the cell that next found.
	text  []byte // nothing for cells never written
	count int    // so many such cells
	wide  bool
}

func unpack(data []byte) unpacker {
	u := unpacker{data: data}
	if data[0] == markWrap {
		u.wrap, u.data = true, u.data[1:]
	}
	if u.data[0] == markGoesOn {
		u.continues, u.data = true, u.data[1:]
	}
	return u
}

// next finds the next character or the next cells that were never written.
func (u *unpacker) next() bool {
	size := 0
	u.wide = false
	for {
		b := u.data[0]
		if b >= ' ' {
			break
		}
		u.data = u.data[1:]
		switch b {
		case markEnd:
			return false
		case markStyle:
			u.style = cell{u.uvarint() << attributeShift, u.uvarint()}
		case markLink:
			n := u.uvarint()
			u.link, u.data = u.data[:n], u.data[n:]
		case markWide:
			u.wide = true
		case markCluster:
			size, u.data = int(u.data[0]), u.data[1:]
		case markBlanks:
			u.text, u.count = nil, int(u.uvarint())
			return true
		}
	}
	if size == 0 {
		_, size = utf8.DecodeRune(u.data)
	}
	u.text, u.data, u.count = u.data[:size], u.data[size:], 1
	return true
}

func (u *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(u.data)
	u.data = u.data[n:]
	return v
}

// historyRow returns line i of the scrollback, counted from the oldest.
func (s *Screen) historyRow(i int) grid.Row {
	u := unpack(s.scrollback.at(i))
	b := s.beginRow()
	for u.next() {
		b.style(u.style, string(u.link))
		for range u.count {
			if u.text == nil {
				b.text = append(b.text, ' ')
			} else {
				b.text = append(b.text, u.text...)
			}
		}
	}
	row := s.endRow(b, u.wrap)
	row.Torn = u.continues && (i == 0 || !s.scrollback.wraps(i-1))
	return row
}

// linked returns a style with a link, if there is one and room for it.
func (s *Screen) linked(style cell, link []byte) cell {
	if len(link) > 0 {
		if n, ok := s.texts.links.number(link); ok {
			return style.linked(n)
		}
	}
	return style
}

// pullLine takes the newest line out of the scrollback.
func (s *Screen) pullLine() pulled {
	var cells []cell
	u := unpack(s.scrollback.at(s.scrollback.count - 1))
	for u.next() {
		c := s.linked(u.style, u.link)
		if u.text == nil {
			for range u.count {
				cells = append(cells, c)
			}
			continue
		}
		r, size := utf8.DecodeRune(u.text)
		c.content |= uint64(r)
		if size < len(u.text) {
			if n, ok := s.texts.clusters.number(u.text); ok {
				c.content = u.style.content | clusterFlag | uint64(n)
			}
		}
		if !u.wide {
			cells = append(cells, c)
			continue
		}
		c.content |= wideFlag
		tail := c.style()
		tail.content |= tailFlag
		cells = append(cells, c, tail)
	}
	s.scrollback.dropNewest()
	return pulled{cells, u.wrap, u.continues}
}
