package attach

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// What a terminal is told before the first picture and after the last: the
// second screen, no wrapping, brackets around pastes, and all of it back.
const (
	Enter = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[0m\x1b[2J"
	Leave = "\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l"
)

// A Painter draws the frames of a pane on a terminal.
type Painter struct {
	screen grid.Screen
	size   Size // of the terminal
}

// NewPainter returns a painter for a terminal of this size.
func NewPainter(size Size) *Painter { return &Painter{size: size} }

// Paint returns what draws the next frame.
func (p *Painter) Paint(frame grid.Frame) ([]byte, error) {
	before := p.screen.Head()
	changed, err := p.screen.Apply(frame)
	if err != nil {
		return nil, err
	}
	if before.Cols != frame.Cols || before.Rows != frame.Rows {
		return p.whole(), nil
	}
	return p.paint("", changed), nil
}

// Resize returns what draws the picture on a terminal that has a new size.
func (p *Painter) Resize(size Size) []byte {
	p.size = size
	return p.whole()
}

func (p *Painter) whole() []byte {
	all := make([]int, len(p.screen.Rows()))
	for i := range all {
		all[i] = i
	}
	return p.paint("\x1b[0m\x1b[2J", all)
}

func (p *Painter) paint(first string, rows []int) []byte {
	var out bytes.Buffer
	out.WriteString("\x1b[?2026h\x1b[?25l" + first)
	for _, i := range rows {
		if i < p.size.Rows {
			fmt.Fprintf(&out, "\x1b[%d;1H\x1b[0m\x1b[2K", i+1)
			p.row(&out, p.screen.Rows()[i])
		}
	}
	if at := p.screen.Head().Cursor; at.Row < p.size.Rows && at.Col < p.size.Cols {
		fmt.Fprintf(&out, "\x1b[0m\x1b[%d;%dH", at.Row+1, at.Col+1)
		if at.Visible {
			out.WriteString("\x1b[?25h")
		}
	}
	out.WriteString("\x1b[?2026l")
	return out.Bytes()
}

// row writes what of a row fits into the terminal.
func (p *Painter) row(out *bytes.Buffer, row grid.Row) {
	left := p.size.Cols
	for _, run := range row.Runs {
		out.WriteString("\x1b[0m")
		if run.Style != "" {
			out.WriteString("\x1b[" + sgr(run.Style) + "m")
		}
		graphemes := displaywidth.StringGraphemes(run.Text)
		for graphemes.Next() {
			if left -= graphemes.Width(); left < 0 {
				return
			}
			out.WriteString(strings.Map(shown, graphemes.Value()))
		}
	}
}

// sgr and shown let nothing through that speaks to the terminal: a pane's own
// emulator makes none of it, and a holder may be of any build.
func sgr(style string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == ';' || r == ':' {
			return r
		}
		return -1
	}, style)
}

func shown(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}
