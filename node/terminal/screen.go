// Package terminal is a terminal emulator: bytes of a program go in, a screen
// of styled rows comes out. It is what stands between a pane's program and the
// people who look at it, so it must keep up with the fastest program and must
// believe none.
//
// It speaks what xterm-256color promises: the control functions of ECMA-48 and
// the DEC VT220 that shells, editors, multiplexers and agents use, with those of
// later ones that edit lines and columns, the private modes of xterm, 256 and
// 24-bit colours, wide characters and grapheme clusters, links. It has no left
// and right margins, rectangles, protected cells, double-size lines or pictures,
// and says so to who asks. The widths of characters are those of Unicode as the displaywidth
// module has them; characters of ambiguous width take one column.
//
// Promises:
//
//   - [Screen.Write] takes any bytes in any pieces, never blocks and never
//     fails. How the bytes were split never shows.
//   - Everything that a program can make grow is bounded, see limits.go. What
//     is beyond a bound is dropped, never an error.
//   - Rows pass the checks of a [grid.Frame]: valid UTF-8 without control
//     characters. Characters without width that join no other, such as the
//     marks that turn the direction of text, are dropped.
//   - A program gets no answer but those of reply.go, and reaches nothing
//     outside of its screen: the clipboard (OSC 52) stays closed.
//
// A Screen is not safe for concurrent use.
package terminal

import (
	"unicode/utf8"

	"collie/node/grid"

	"github.com/charmbracelet/x/ansi"
)

// A Screen is a terminal: its main and alternate screen, its scrollback, and
// the state of its parser.
type Screen struct {
	cols, rows int
	main       buffer
	alternate  buffer // without lines until it is used first
	active     *buffer
	scrollback scrollback
	texts      texts
	styles     map[cell]string

	cursorState
	cursorHidden bool
	top, bottom  int // of the scroll region, inclusive
	tabs         tabStops
	lastRune     rune // printed last, for REP
	lastCol      int  // where it stands, -1 after anything but printing

	insertMode bool
	noAutowrap bool
	modes      Modes

	title  string
	titles []string // saved ones

	// seq is the number of the last change that Seq reported, next the one
	// that changes get until then. Rows that change all at once are covered
	// by allSeq.
	seq, next, allSeq uint64
	shown             shown

	parser     *ansi.Parser
	digits     int               // of the number that is being parsed
	part       [utf8.UTFMax]byte // first bytes of an unfinished character
	partLen    int
	collecting stringKind
	collected  []byte
	replies    []byte

	// Memory that is used again and again.
	scratch []byte
	builder rowBuilder
}

// cursorState is what DECSC saves and DECRC restores.
type cursorState struct {
	x, y        int
	pendingWrap bool // the next character goes to the next row first
	origin      bool // rows count from the scroll region's top
	pen         cell // style of what is written next, without text
	charsets    charsets
}

// shown is what can change beside rows.
type shown struct {
	cursor grid.Cursor
	title  string
	allSeq uint64
}

// New returns a blank screen of cols by rows cells that keeps at most the given
// number of lines that scroll off its top. The size is brought into the bounds
// of a [grid.Frame].
func New(cols, rows, scrollbackLines int) *Screen {
	s := &Screen{
		styles: make(map[cell]string),
		texts:  texts{clusters: newTable(maxClusters), links: newTable(maxLinks)},
	}
	s.cols, s.rows = clampSize(cols, rows)
	s.main.lines = newLines(s.cols, s.rows)
	s.active = &s.main
	s.scrollback.limit = max(scrollbackLines, 0)
	s.next = 1
	s.initParser()
	s.reset()
	s.settle()
	return s
}

func clampSize(cols, rows int) (int, int) {
	return min(max(cols, 1), grid.MaxCols), min(max(rows, 1), grid.MaxRows)
}

// reset is RIS: everything as it was at first, but for the scrollback, which
// is worth more than the purity of a reset.
func (s *Screen) reset() {
	s.showMain()
	s.softReset()
	s.main.reset(cell{})
	s.alternate.reset(cell{})
	s.main.saved, s.alternate.saved = cursorState{}, cursorState{}
	s.modes = Modes{}
	s.tabs.reset()
	s.title, s.titles = "", nil
	s.lastCol = -1
	s.cursorState = cursorState{}
	s.allSeq = s.next
}

// softReset is DECSTR: modes and margins, without a change to the text.
func (s *Screen) softReset() {
	x, y := s.x, s.y
	s.cursorState = cursorState{x: x, y: y}
	s.active.saved = cursorState{}
	s.cursorHidden, s.insertMode, s.noAutowrap = false, false, false
	s.modes.ApplicationCursor, s.modes.ApplicationKeypad = false, false
	s.top, s.bottom = 0, s.rows-1
}

// Size returns the columns and rows.
func (s *Screen) Size() (cols, rows int) { return s.cols, s.rows }

// Seq returns a number that rises with every change that can be seen: rows,
// cursor, title or size.
func (s *Screen) Seq() uint64 { return s.seq }

// Cursor returns where the next character goes; in the last column also when
// that character will go to the next row first.
func (s *Screen) Cursor() grid.Cursor {
	return grid.Cursor{Row: s.y, Col: s.x, Visible: !s.cursorHidden}
}

// Title returns what OSC 0 or 2 set last: at most [grid.MaxTitleBytes] of
// UTF-8 without control characters.
func (s *Screen) Title() string { return s.title }

// Changed returns the indexes of the rows that changed after since, a number
// that Seq returned: nil when none did, every row after a change of size. All
// rows have changed since 0.
func (s *Screen) Changed(since uint64) []int {
	var changed []int
	for i, l := range s.active.lines {
		if l.seq > since || s.allSeq > since {
			changed = append(changed, i)
		}
	}
	return changed
}

// HistoryLen returns how many lines of scrollback there are.
func (s *Screen) HistoryLen() int { return s.scrollback.count }

// History returns at most count lines of scrollback, the oldest line being 0.
// They have the width that the screen had when they left it.
func (s *Screen) History(from, count int) []grid.Row {
	from = max(from, 0)
	count = min(count, s.scrollback.count-from)
	if count <= 0 {
		return nil
	}
	rows := make([]grid.Row, count)
	for i := range rows {
		rows[i] = s.historyRow(from + i)
	}
	return rows
}

// touch marks the cursor's row as changed.
func (s *Screen) touch() { s.active.lines[s.y].seq = s.next }

func (s *Screen) showing() shown {
	return shown{cursor: s.Cursor(), title: s.title, allSeq: s.allSeq}
}

// settle ends a batch of changes: Seq rises when there is something to see.
func (s *Screen) settle() {
	now := s.showing()
	changed := now != s.shown
	if !changed {
		for _, l := range s.active.lines {
			if l.seq == s.next {
				changed = true
				break
			}
		}
	}
	if changed {
		s.shown = now
		s.seq = s.next
		s.next++
	}
}
