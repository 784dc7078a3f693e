// Package grid is what a terminal screen looks like once it is text: rows of
// styled runs, and frames that carry a screen from the program that keeps it
// to whoever looks at it.
//
// A frame is state, never a log. The first frame of a stream names every row;
// each later one names the rows that changed. Frames may be merged, and a
// receiver that is slow loses nothing but intermediate pictures.
//
// The package knows no terminal, no network and no mask; all three share it.
package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Bounds of a screen. A frame outside them is refused whole.
const (
	MaxCols       = 1000
	MaxRows       = 500
	MaxTitleBytes = 512
	MaxStyleBytes = 128
	// MaxRowBytes bounds the text of one row: MaxCols cells of a base
	// character with a few combining marks.
	MaxRowBytes = 32 * 1024
	// MaxAbove bounds the scrollback rows that come with a frame.
	MaxAbove = 64
)

// ErrFrame is wrapped by every refusal of a frame.
var ErrFrame = errors.New("frame is not valid")

// A Run is a piece of a row in one style. Style is an SGR parameter string
// without "ESC[" and "m" ("1;38;5;2"); the empty string is the default style.
// On the wire it is the pair [text, style].
type Run struct {
	Text  string
	Style string
}

// MarshalJSON writes the pair form.
func (r Run) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]string{r.Text, r.Style})
}

// UnmarshalJSON reads the pair form and refuses any other.
func (r *Run) UnmarshalJSON(data []byte) error {
	var pair []string
	if err := json.Unmarshal(data, &pair); err != nil {
		return fmt.Errorf("%w: a run is a pair of strings: %w", ErrFrame, err)
	}
	if len(pair) != 2 {
		return fmt.Errorf("%w: a run has %d parts, want 2", ErrFrame, len(pair))
	}
	r.Text, r.Style = pair[0], pair[1]
	return nil
}

// A Row is one line of a screen. Wrap says that the text goes on in the next
// row because the terminal ran out of columns, not because the program ended
// the line. Trailing blank cells in the default style are left out.
type Row struct {
	Wrap bool  `json:"wrap"`
	Runs []Run `json:"runs"`
}

// Text returns the row without its styles.
func (r Row) Text() string {
	switch len(r.Runs) {
	case 0:
		return ""
	case 1:
		return r.Runs[0].Text
	}
	n := 0
	for _, run := range r.Runs {
		n += len(run.Text)
	}
	text := make([]byte, 0, n)
	for _, run := range r.Runs {
		text = append(text, run.Text...)
	}
	return string(text)
}

// Equal reports whether both rows look the same and wrap the same.
func (r Row) Equal(s Row) bool {
	if r.Wrap != s.Wrap || len(r.Runs) != len(s.Runs) {
		return false
	}
	for i := range r.Runs {
		if r.Runs[i] != s.Runs[i] {
			return false
		}
	}
	return true
}

// A Line is a row with its place on the screen, counted from 0.
type Line struct {
	I int `json:"i"`
	Row
}

// A Cursor is where the next character goes, counted from 0.
type Cursor struct {
	Row     int  `json:"row"`
	Col     int  `json:"col"`
	Visible bool `json:"visible"`
}

// A Frame is a screen, or what changed of it since the frame before. A frame
// whose Cols or Rows differ from the frame before it names every row.
type Frame struct {
	// Seq rises with each frame of one stream.
	Seq    uint64 `json:"seq"`
	Cols   int    `json:"cols"`
	Rows   int    `json:"rows"`
	Cursor Cursor `json:"cursor"`
	Title  string `json:"title"`
	// Screen is the owning node's opaque hash of the prompt region.
	Screen string `json:"screen,omitempty"`
	// Echo says that a typed character will surely appear at the cursor.
	Echo bool `json:"echo"`
	// Masked says that something on the screen was replaced by marks.
	Masked bool `json:"masked"`
	// Above holds the scrollback rows that wrap into the first row, oldest
	// first, so that a mask can read them with it. A phone never gets them.
	Above []Row  `json:"above,omitempty"`
	Lines []Line `json:"lines"`
}

// Check refuses a frame that no honest node sends.
func (f *Frame) Check() error {
	switch {
	case f.Cols < 1 || f.Cols > MaxCols || f.Rows < 1 || f.Rows > MaxRows:
		return fmt.Errorf("%w: %d by %d cells", ErrFrame, f.Cols, f.Rows)
	case f.Cursor.Row < 0 || f.Cursor.Row >= f.Rows || f.Cursor.Col < 0 || f.Cursor.Col >= f.Cols:
		return fmt.Errorf("%w: cursor at row %d, column %d", ErrFrame, f.Cursor.Row, f.Cursor.Col)
	case len(f.Title) > MaxTitleBytes:
		return fmt.Errorf("%w: title of %d bytes", ErrFrame, len(f.Title))
	case len(f.Screen) > 128:
		return fmt.Errorf("%w: screen hash of %d bytes", ErrFrame, len(f.Screen))
	case len(f.Lines) > f.Rows:
		return fmt.Errorf("%w: %d lines for %d rows", ErrFrame, len(f.Lines), f.Rows)
	case len(f.Above) > MaxAbove:
		return fmt.Errorf("%w: %d rows above the first", ErrFrame, len(f.Above))
	}
	if err := CheckRows(f.Above); err != nil {
		return err
	}
	last := -1
	for _, line := range f.Lines {
		if line.I <= last || line.I >= f.Rows {
			return fmt.Errorf("%w: line %d after line %d of %d", ErrFrame, line.I, last, f.Rows)
		}
		last = line.I
		if err := line.check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckRows refuses rows that no honest node sends.
func CheckRows(rows []Row) error {
	for _, row := range rows {
		if err := row.check(); err != nil {
			return err
		}
	}
	return nil
}

func (r Row) check() error {
	size := 0
	if len(r.Runs) > MaxCols {
		return fmt.Errorf("%w: row of %d runs", ErrFrame, len(r.Runs))
	}
	for _, run := range r.Runs {
		size += len(run.Text)
		if size > MaxRowBytes {
			return fmt.Errorf("%w: row of more than %d bytes", ErrFrame, MaxRowBytes)
		}
		if !utf8.ValidString(run.Text) {
			return fmt.Errorf("%w: row is not UTF-8", ErrFrame)
		}
		if err := checkStyle(run.Style); err != nil {
			return err
		}
		for _, c := range run.Text {
			if c < 0x20 || (c >= 0x7f && c < 0xa0) {
				return fmt.Errorf("%w: control character %U in a row", ErrFrame, c)
			}
		}
	}
	return nil
}

func checkStyle(style string) error {
	if len(style) > MaxStyleBytes {
		return fmt.Errorf("%w: style of %d bytes", ErrFrame, len(style))
	}
	for i := range len(style) {
		if c := style[i]; (c < '0' || c > '9') && c != ';' && c != ':' {
			return fmt.Errorf("%w: style holds %q", ErrFrame, c)
		}
	}
	return nil
}
