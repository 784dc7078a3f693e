// Package mirror masks a pane's frames on their way out. A mirror keeps one
// screen: it applies each frame that comes in, masks the whole screen, since a
// secret may be told only by rows above or below, and passes on the rows whose
// masked text changed. So a row that went out is sent again when what follows
// shows that it began a secret. Where a row is being written to is where a secret
// may be typed; the cursor tells, and the ends that come with a frame. It buffers
// nothing.
//
// The machine that owns a pane and the lead use the same mirror, so that text
// of a member is masked twice by the same code. Masking what is masked changes
// nothing.
package mirror

import (
	"slices"
	"strings"

	"collie/node/grid"
	"collie/node/mask"
)

// A Mirror is one receiver's masked copy of a screen. It is not safe for
// concurrent use.
type Mirror struct {
	mask   *mask.Mask // nil when masking is off
	prompt Prompt     // nil where the screen hash of the frames is passed on
	screen grid.Screen
	sent   []grid.Row // what the receiver has
	cols   int        // of what it has
	seq    uint64
	head   grid.Frame // as it was sent last, without lines
}

// A Prompt hashes the prompt region of a screen that is not masked yet; head is its
// frame without the lines.
type Prompt func(rows []grid.Row, head grid.Frame) string

// New returns a mirror that masks with m, or not at all when m is nil. The
// machine that owns the pane hands in how it hashes the prompt region; everybody
// else passes on what it said.
func New(m *mask.Mask, prompt Prompt) *Mirror { return &Mirror{mask: m, prompt: prompt} }

// Apply takes a frame and returns what the receiver must know of it: every row
// the first time and after a change of size, else the rows that look different;
// Lines is never nil. A frame that is not valid is refused and changes nothing.
// The rows above the screen come with every frame, masked, and so do the ends.
func (m *Mirror) Apply(frame grid.Frame) (grid.Frame, error) {
	if _, err := m.screen.Apply(frame); err != nil {
		return grid.Frame{}, err
	}
	out, rows := m.screen.Head(), m.screen.Rows()
	if m.prompt != nil {
		out.Screen = m.prompt(rows, out)
	}
	out.Alternate = false
	if m.mask != nil {
		rows = m.hide(&out, rows)
	}
	all := m.cols != out.Cols || len(m.sent) != len(rows)
	out.Lines = []grid.Line{}
	for i, row := range rows {
		if all || !row.Equal(m.sent[i]) {
			out.Lines = append(out.Lines, grid.Line{I: i, Row: row})
		}
	}
	m.sent, m.cols = append(m.sent[:0], rows...), out.Cols
	m.seq++
	out.Seq = m.seq
	m.head = out
	m.head.Lines = []grid.Line{}
	return out, nil
}

// Again returns the last frame without a line if its prompt region hashes otherwise
// by now, which says that it is another program's.
func (m *Mirror) Again() (frame grid.Frame, changed bool) {
	if m.prompt == nil || m.seq == 0 {
		return grid.Frame{}, false
	}
	hash := m.prompt(m.screen.Rows(), m.screen.Head())
	if hash == m.head.Screen {
		return grid.Frame{}, false
	}
	m.seq++
	m.head.Screen, m.head.Seq = hash, m.seq
	return m.head, true
}

// hide masks the title, the rows above and the rows of a frame, and returns the
// latter. The rows above are read as one text with those that they wrap into.
func (m *Mirror) hide(out *grid.Frame, rows []grid.Row) []grid.Row {
	above := len(out.Above)
	cursor := out.Cursor
	cursor.Row += above
	var ends []grid.Cursor
	for _, end := range out.Ends {
		ends = append(ends, grid.Cursor{Row: above + end.Row, Col: end.Col})
	}
	joined := rows
	if above > 0 {
		joined = slices.Concat(out.Above, rows)
	}
	masked, found := m.mask.Screen(joined, out.Cols, &cursor, ends)
	out.Above, masked = masked[:above:above], masked[above:]
	found = found && !slices.EqualFunc(rows, masked, grid.Row.Equal)

	title, titleFound := m.mask.Text(out.Title, mask.Options{Surface: "title"})
	// A mark takes more bytes than what it hides.
	out.Title = strings.ToValidUTF8(title[:min(len(title), grid.MaxTitleBytes)], "")
	out.Masked = out.Masked || found || titleFound
	return masked
}

// Hide masks parts of a scrollback that follow each other, as one text, in
// place; a nil mask hides nothing.
func Hide(m *mask.Mask, parts ...*[]grid.Row) {
	if m == nil {
		return
	}
	var all []grid.Row
	for _, part := range parts {
		all = append(all, *part...)
	}
	all, _ = m.Rows(all, nil, nil)
	for _, part := range parts {
		n := len(*part)
		*part, all = all[:n:n], all[n:]
	}
}
