// Package mirror masks a pane's frames on their way out. A mirror keeps one
// screen: it applies each frame that comes in, masks the whole screen, since a
// secret may be told only by rows above or below, and passes on the rows whose
// masked text changed. It buffers nothing else.
//
// The machine that owns a pane and the lead use the same mirror, so that text
// of a member is masked twice by the same code.
package mirror

import (
	"collie/node/grid"
	"collie/node/mask"
)

// A Mirror is one receiver's masked copy of a screen. It is not safe for
// concurrent use.
type Mirror struct {
	mask   *mask.Mask // nil when masking is off
	prompt Prompt     // nil where the screen hash of the frames is passed on
	screen grid.Screen
	above  []grid.Row
	sent   []grid.Row // what the receiver has
	cols   int
	seq    uint64
}

// A Prompt hashes the prompt region of a screen that is not masked yet.
type Prompt func(rows []grid.Row, cursor grid.Cursor) string

// New returns a mirror that masks with m, or not at all when m is nil. The
// machine that owns the pane hands in how it hashes the prompt region; everybody
// else passes on what it said.
func New(m *mask.Mask, prompt Prompt) *Mirror { return &Mirror{mask: m, prompt: prompt} }

// Apply takes a frame and returns what the receiver must know of it: every row
// the first time and after a change of size, else the rows that look different.
// A frame that is not valid is refused and changes nothing.
func (m *Mirror) Apply(frame grid.Frame) (grid.Frame, error) {
	if _, err := m.screen.Apply(frame); err != nil {
		return grid.Frame{}, err
	}
	m.above = frame.Above
	out := m.screen.Head()
	rows, above := m.screen.Rows(), m.above
	if m.prompt != nil {
		out.Screen = m.prompt(rows, out.Cursor)
	}
	if m.mask != nil {
		title, titleFound := m.mask.Text(out.Title, mask.Options{Surface: "title"})
		masked, found := m.mask.Rows(rows, above, &out.Cursor)
		hidden, aboveFound := m.maskAbove(rows)
		out.Title, rows, above = title, masked, hidden
		out.Masked = out.Masked || found || titleFound || aboveFound
	}
	all := len(m.sent) != len(rows) || m.cols != out.Cols
	for i, row := range rows {
		if all || !row.Equal(m.sent[i]) {
			out.Lines = append(out.Lines, grid.Line{I: i, Row: row})
		}
	}
	m.sent = append(m.sent[:0], rows...)
	m.cols = out.Cols
	m.seq++
	out.Seq, out.Above = m.seq, above
	return out, nil
}

// maskAbove masks the rows above the screen together with the screen that they
// wrap into.
func (m *Mirror) maskAbove(rows []grid.Row) ([]grid.Row, bool) {
	if len(m.above) == 0 {
		return nil, false
	}
	joined := append(append(make([]grid.Row, 0, len(m.above)+len(rows)), m.above...), rows...)
	masked, found := m.mask.Rows(joined, nil, nil)
	return masked[:len(m.above)], found
}
