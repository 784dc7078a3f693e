// Package attach is a pane in somebody's own terminal: collie pane attach.
//
// The terminal gets pictures, never the program's bytes. What arrives is a frame
// of the pane's own emulator, painted anew, so no sequence of a program reaches
// the terminal of the person: it cannot ask, set a clipboard or a title there.
// What the person types goes back as bytes, which the node makes the program's
// own: cursor keys and pastes as the program asked its terminal for.
//
// The terminal that came last decides on the size of the pane, and a phone never
// does while one is there (Sizes).
//
// The two ends speak in lines of JSON; see FromTerminal and ToTerminal. Bounds
// are in limits.go.
package attach

import (
	"collie/node/grid"
)

// A Size is a terminal's.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Valid reports whether a pane can have this size.
func (s Size) Valid() bool {
	return s.Cols >= 1 && s.Cols <= grid.MaxCols && s.Rows >= 1 && s.Rows <= grid.MaxRows
}

// FromTerminal is one line to the node; one field is set.
type FromTerminal struct {
	Size  *Size  `json:"size,omitempty"`
	Input []byte `json:"input,omitempty"`
	// Seen says that the last frame is painted; the next comes only then.
	Seen bool `json:"seen,omitempty"`
}

// ToTerminal is one line from the node; one field is set, and End is the last.
type ToTerminal struct {
	Frame *grid.Frame `json:"frame,omitempty"`
	End   *End        `json:"end,omitempty"`
}

// An End is why the node lets go of a terminal.
type End struct {
	// Exited is the exit code of the pane's program; nil: the pane is gone or the
	// node stops, and Reason says so.
	Exited *int   `json:"exited,omitempty"`
	Reason string `json:"reason,omitempty"`
}
