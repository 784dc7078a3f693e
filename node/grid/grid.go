// Package grid is what a terminal screen looks like once it is text: rows of
// styled runs, and frames that carry a screen from the program that keeps it
// to whoever looks at it.
//
// A frame is state, never a log. The first frame of a stream names every row;
// each later one names the rows that changed. Frames may be merged, and a
// receiver that is slow loses nothing but intermediate pictures.
//
// What another machine sends is checked whole before any of it counts, and what
// is kept of it is bounded (see the limits). The package knows no terminal, no
// network and no mask; all three share it.
package grid

// A Run is a piece of a row in one style. Style is an SGR parameter string
// without "ESC[" and "m" ("1;38;5;2"); the empty string is the default style.
// Link is the address that a program gave the text, see [IsLink]; most have none.
// On the wire a run is the pair [text, style], with a link [text, style, link].
type Run struct {
	Text  string
	Style string
	Link  string
}

// A Row is one line of a screen. Wrap says that the text goes on in the next
// row because the terminal ran out of columns, not because the program ended
// the line. Torn says that its text began in a row that is no longer there: that
// scrolled away without a trace or was erased. Trailing blank cells in the
// default style are left out.
type Row struct {
	Wrap bool  `json:"wrap"`
	Torn bool  `json:"torn,omitempty"`
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

// Equal reports whether both rows look the same and go on the same.
func (r Row) Equal(s Row) bool {
	if r.Wrap != s.Wrap || r.Torn != s.Torn || len(r.Runs) != len(s.Runs) {
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
	// Password says that the terminal asks for one: lines are read blindly.
	Password bool `json:"password,omitempty"`
	// Alternate says that the program has the second screen, without a scrollback.
	// Only the machine that owns the pane is told.
	Alternate bool `json:"alternate,omitempty"`
	// Masked says that something on the screen was replaced by marks.
	Masked bool `json:"masked"`
	// Above holds the scrollback rows that wrap into the first row, or that a
	// private key began in, oldest first, so that a mask can read them with the
	// screen. A phone never gets them.
	Above []Row `json:"above,omitempty"`
	// Ends is where rows are being written to besides the cursor, at most one place
	// in a row, from the first row on. A phone never gets it.
	Ends  []Cursor `json:"ends,omitempty"`
	Lines []Line   `json:"lines"`
}
