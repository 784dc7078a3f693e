// Package screens reads recorded screens of real agent programs, for the tests
// of whatever reads or answers them. A recording is a file of a few lines that
// say where it comes from, how large the screen was and where the cursor stood,
// and then the rows as a terminal is sent them.
package screens

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"collie/node/grid"
	"collie/node/harness"
	"collie/node/terminal"
)

// A Recording is one recorded screen.
type Recording struct {
	Origin string // of which program, and how it was made
	Cols   int
	Rows   int
	Cursor grid.Cursor
	Title  string
	Lines  [][]byte // with their escapes; more than Rows are scrollback
}

// Read reads a recording.
func Read(path string) (Recording, error) {
	var r Recording
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	head, body, found := bytes.Cut(data, []byte("\n\n"))
	if !found {
		return r, fmt.Errorf("%s has no head", path)
	}
	for line := range strings.Lines(string(head)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		visible := 0
		switch name {
		case "size":
			_, err = fmt.Sscan(value, &r.Cols, &r.Rows)
		case "cursor":
			_, err = fmt.Sscan(value, &r.Cursor.Row, &r.Cursor.Col, &visible)
			r.Cursor.Visible = visible == 1
		case "title":
			r.Title = value
		default:
			r.Origin = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "# ")
		}
		if err != nil {
			return r, fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	r.Lines = bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	return r, nil
}

// Paint is what a program writes to draw the screen.
func (r Recording) Paint() []byte {
	var b bytes.Buffer
	b.WriteString("\x1b[2J\x1b[H")
	if r.Title != "" {
		fmt.Fprintf(&b, "\x1b]0;%s\x07", r.Title)
	}
	for i, line := range r.Lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.Write(line)
	}
	fmt.Fprintf(&b, "\x1b[0m\x1b[%d;%dH", r.Cursor.Row+1, r.Cursor.Col+1)
	if r.Cursor.Visible {
		b.WriteString("\x1b[?25h")
	} else {
		b.WriteString("\x1b[?25l")
	}
	return b.Bytes()
}

// Screen is the screen as an adapter gets it, with its scrollback.
func (r Recording) Screen() harness.Screen {
	t := terminal.New(r.Cols, r.Rows, len(r.Lines))
	t.Write(r.Paint())
	above := t.History(0, t.HistoryLen())
	s := harness.Screen{Rows: above, Cols: r.Cols, Cursor: t.Cursor(), Title: t.Title()}
	s.Cursor.Row += len(above)
	for i := range r.Rows {
		s.Rows = append(s.Rows, t.Row(i))
	}
	return s
}
