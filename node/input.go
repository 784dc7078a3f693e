package node

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
	"collie/node/status"
)

// screens is what input needs of the panes.
type screens interface {
	List() []pane.Info
	Get(id pane.ID) (pane.Info, error)
	Capabilities() pane.Capabilities
	Watch(ctx context.Context, id pane.ID, send func(grid.Frame) error) error
	Modes(ctx context.Context, id pane.ID) (pane.Modes, error)
	Paste(ctx context.Context, id pane.ID, text string) error
	Input(ctx context.Context, id pane.ID, data []byte) error
}

// input writes to panes: one writer per pane at a time, and never blindly. Text
// is pasted where it is sure to land, seen there, and only then submitted.
type input struct {
	panes screens
	look  func(ctx context.Context, id pane.ID) (status.Sight, error)

	mu      sync.Mutex         // guards writers, not what they guard
	writers map[string]*writer // by pane.Info.Instance: an id may be given out again
}

// A writer is the one right to type into a pane.
type writer struct {
	turn chan struct{} // holds one value while nobody types

	// What follows belongs to whoever has the turn.
	draft   bool            // something was typed and not submitted
	pages   map[string]page // whose keys came, by their random id
	escaped time.Time       // when an Escape was held back
}

// A page is one browser page that types.
type page struct {
	n       uint64 // the highest count that was done
	program string // the run of the program that it types for
}

func newInput(panes screens, board *status.Board) *input {
	return &input{panes: panes, look: board.Look, writers: map[string]*writer{}}
}

// take waits for the turn at a pane.
func (in *input) take(ctx context.Context, id pane.ID) (*writer, func(), error) {
	info, err := in.panes.Get(id)
	if err != nil {
		return nil, nil, err
	}
	in.mu.Lock()
	w := in.writers[info.Instance]
	if w == nil {
		if len(in.writers) >= maxWriters {
			in.forgetGone()
		}
		if len(in.writers) >= maxWriters {
			in.mu.Unlock()
			return nil, nil, api.ErrTooManyPanes
		}
		w = &writer{turn: make(chan struct{}, 1), pages: map[string]page{}}
		w.turn <- struct{}{}
		in.writers[info.Instance] = w
	}
	in.mu.Unlock()
	select {
	case <-w.turn:
		return w, func() { w.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// forgetGone drops what is remembered of programs that are gone. in.mu is held.
func (in *input) forgetGone() {
	there := map[string]bool{}
	for _, info := range in.panes.List() {
		there[info.Instance] = true
	}
	maps.DeleteFunc(in.writers, func(instance string, _ *writer) bool { return !there[instance] })
}

// prompt returns the rows of the line that the cursor is in: wrapped rows are
// one line.
func prompt(rows []grid.Row, cursor grid.Cursor) []grid.Row {
	if cursor.Row >= len(rows) {
		return nil
	}
	first, last := cursor.Row, cursor.Row
	for first > 0 && rows[first-1].Wrap {
		first--
	}
	for last < len(rows)-1 && rows[last].Wrap {
		last++
	}
	return rows[first : last+1]
}

// beginsAtTop reports whether the line that the cursor is in has its first row at
// the top of the screen, or above.
func beginsAtTop(rows []grid.Row, cursor grid.Cursor) bool {
	row := min(cursor.Row, len(rows)-1)
	for row > 0 && rows[row-1].Wrap {
		row--
	}
	return row == 0
}

func rowsOf(frame grid.Frame) []grid.Row {
	rows := make([]grid.Row, frame.Rows)
	for _, line := range frame.Lines {
		rows[line.I] = line.Row
	}
	return rows
}

// atCursor returns the text of the line that the cursor is in.
func atCursor(rows []grid.Row, cursor grid.Cursor) string {
	var text strings.Builder
	for _, row := range prompt(rows, cursor) {
		text.WriteString(row.Text())
	}
	return text.String()
}

// appeared reports whether the last line of a text has come into the line of the
// cursor, all of it: at its end, or somewhere in it once more than before, since
// a program may write its prompt behind what was typed ahead. Blanks are left out
// of the comparison: a screen shows no difference between a blank and nothing,
// and a wrap before a wide character leaves one.
func appeared(before, now, text string) bool {
	before, now, text = harness.Squeeze(before), harness.Squeeze(now), harness.Squeeze(text[strings.LastIndexByte(text, '\n')+1:])
	if text == "" {
		return true
	}
	return (now != before && strings.HasSuffix(now, text)) || strings.Count(now, text) > strings.Count(before, text)
}
