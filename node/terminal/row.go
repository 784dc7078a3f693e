package terminal

import "collie/node/grid"

// Row returns row i of the screen, counted from 0; a row that does not exist is
// empty. Blank cells at the end in the default style are left out; only a row
// that goes on in the next one keeps the spaces that were written, since they
// stand between words.
func (s *Screen) Row(i int) grid.Row {
	if i < 0 || i >= s.rows {
		return grid.Row{}
	}
	row := s.rowOf(s.active.lines[i])
	row.Torn = s.torn(i)
	return row
}

// torn reports whether row i goes on from a row that is no longer there. The
// first row of the alternate screen may do so whenever it is one long word: its
// program scrolls by drawing anew.
func (s *Screen) torn(i int) bool {
	l := s.active.lines[i]
	switch {
	case i == 0 && s.active == &s.alternate && l.longWord():
		return true
	case !l.continues:
		return false
	case i > 0:
		return !s.active.lines[i-1].wrap
	}
	newest := s.scrollback.count - 1
	return s.active != &s.main || newest < 0 || !s.scrollback.wraps(newest)
}

func (s *Screen) rowOf(l *line) grid.Row {
	b := s.beginRow()
	for i, c := range trim(l.cells[:l.used], l.wrap) {
		if style := c.style(); i == 0 || style != l.cells[i-1].style() {
			b.style(style.unlinked(), s.texts.link(style))
		}
		b.text = s.texts.appendText(b.text, c)
	}
	return s.endRow(b, l.wrap)
}

// trim leaves out the blank end of a row.
func trim(cells []cell, wrap bool) []cell {
	for len(cells) > 0 {
		last := cells[len(cells)-1]
		if !last.blank() || wrap && last.content != 0 {
			break
		}
		cells = cells[:len(cells)-1]
	}
	return cells
}

// A rowBuilder puts a row together: its text, and where each style begins.
type rowBuilder struct {
	text  []byte
	spans []span
	links int // bytes
}

type span struct {
	style cell
	link  string
	start int // in the text
}

// beginRow returns an empty builder; only one is in use at a time.
func (s *Screen) beginRow() *rowBuilder {
	s.builder.text, s.builder.spans, s.builder.links = s.builder.text[:0], s.builder.spans[:0], 0
	return &s.builder
}

// style sets the style of the text that follows, and where it links to. Of more
// links than a row may have, the text stays.
func (b *rowBuilder) style(style cell, link string) {
	last := len(b.spans) - 1
	if last >= 0 && b.spans[last].style == style && b.spans[last].link == link {
		return
	}
	if b.links += len(link); b.links > grid.MaxRowLinkBytes {
		link = ""
	}
	b.spans = append(b.spans, span{style, link, len(b.text)})
}

// endRow returns the row. Its runs share one string.
func (s *Screen) endRow(b *rowBuilder, wrap bool) grid.Row {
	if len(b.spans) == 0 {
		return grid.Row{Wrap: wrap}
	}
	text, end := string(b.text), len(b.text)
	runs := make([]grid.Run, len(b.spans))
	for i := len(runs) - 1; i >= 0; i-- {
		runs[i] = grid.Run{Text: text[b.spans[i].start:end], Style: s.styleString(b.spans[i].style), Link: b.spans[i].link}
		end = b.spans[i].start
	}
	return grid.Row{Wrap: wrap, Runs: runs}
}
