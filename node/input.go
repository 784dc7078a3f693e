package node

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/pane"
)

// lookTimeout is how long typed text may take to appear, and to leave.
const lookTimeout = 3 * time.Second

// maxWriters bounds the panes and pages that are remembered for input.
const (
	maxWriters = 4 * api.MaxPanes
	maxPages   = 32 // pages whose key counts are remembered per pane
)

// screens is what input needs of the panes.
type screens interface {
	Screen(ctx context.Context, id pane.ID) (grid.Frame, error)
	Watch(ctx context.Context, id pane.ID, send func(grid.Frame) error) error
	Modes(ctx context.Context, id pane.ID) (pane.Modes, error)
	Paste(ctx context.Context, id pane.ID, text string) error
	Input(ctx context.Context, id pane.ID, data []byte) error
}

// input writes to panes: one writer per pane at a time, and never blindly. Text
// is pasted, seen at the cursor, and only then submitted.
type input struct {
	panes screens

	mu      sync.Mutex // guards writers, not what they guard
	writers map[pane.ID]*writer
}

// A writer is the one right to type into a pane.
type writer struct {
	turn chan struct{} // holds one value while nobody types

	// What follows belongs to whoever has the turn.
	draft bool              // something was typed and not submitted
	pages map[string]uint64 // per page, the highest count that was done
}

func newInput(panes screens) *input {
	return &input{panes: panes, writers: map[pane.ID]*writer{}}
}

// take waits for the turn at a pane.
func (in *input) take(ctx context.Context, id pane.ID) (*writer, func(), error) {
	in.mu.Lock()
	w := in.writers[id]
	if w == nil {
		if len(in.writers) >= maxWriters {
			in.mu.Unlock()
			return nil, nil, api.ErrTooManyPanes
		}
		w = &writer{turn: make(chan struct{}, 1), pages: map[string]uint64{}}
		w.turn <- struct{}{}
		in.writers[id] = w
	}
	in.mu.Unlock()
	select {
	case <-w.turn:
		return w, func() { w.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// forget drops what is remembered of a pane that is gone.
func (in *input) forget(id pane.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.writers, id)
}

// errNotSeen says that typed text did not appear where it was expected.
var errNotSeen = errors.New("the text did not appear at the cursor")

// line pastes text and looks for it; with submit it presses Enter and looks
// that it left. Before the first byte and before Enter it asks still. It
// returns how far it came, also with an error.
func (in *input) line(ctx context.Context, w *writer, id pane.ID, text string, submit bool, still func() error) (api.Replied, error) {
	var done api.Replied
	modes, err := in.panes.Modes(ctx, id)
	if err != nil {
		return done, err
	}
	if modes.Password {
		return done, api.ErrPasswordPrompt
	}
	if !submit && !modes.BracketedPaste && strings.ContainsAny(text, "\r\n") {
		return done, api.ErrWouldSubmit
	}
	if err := still(); err != nil {
		return done, err
	}
	empty, err := in.panes.Screen(ctx, id)
	if err != nil {
		return done, err
	}
	if text != "" {
		if err := in.panes.Paste(ctx, id, text); err != nil {
			return done, err
		}
		w.draft, done.TextDelivered = true, true
	}
	if !submit {
		return done, nil
	}
	began := atCursor(rowsOf(empty), empty.Cursor)
	if err := in.look(ctx, id, func(at string) bool { return appeared(began, at, text) }); err != nil {
		return done, err
	}
	if err := still(); err != nil {
		return done, err
	}
	before, err := in.panes.Screen(ctx, id)
	if err != nil {
		return done, err
	}
	if err := in.panes.Input(ctx, id, []byte{'\r'}); err != nil {
		return done, err
	}
	if text == "" { // Enter alone may leave the screen as it is
		w.draft, done.Submitted = false, true
		return done, nil
	}
	err = in.lookFrame(ctx, id, func(f *grid.Screen) bool {
		head := f.Head()
		return head.Cursor != before.Cursor || atCursor(f.Rows(), head.Cursor) != atCursor(rowsOf(before), before.Cursor)
	})
	if err != nil {
		return done, err
	}
	w.draft, done.Submitted = false, true
	return done, nil
}

// look waits until the text at the cursor is as wanted.
func (in *input) look(ctx context.Context, id pane.ID, wanted func(at string) bool) error {
	return in.lookFrame(ctx, id, func(s *grid.Screen) bool { return wanted(atCursor(s.Rows(), s.Head().Cursor)) })
}

func (in *input) lookFrame(ctx context.Context, id pane.ID, wanted func(*grid.Screen) bool) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	seen := errors.New("seen")
	var screen grid.Screen
	err := in.panes.Watch(ctx, id, func(frame grid.Frame) error {
		if _, err := screen.Apply(frame); err != nil {
			return err
		}
		if wanted(&screen) {
			return seen
		}
		return nil
	})
	switch {
	case errors.Is(err, seen):
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return errNotSeen
	default:
		return err
	}
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
	before, now, text = squeeze(before), squeeze(now), squeeze(text[strings.LastIndexByte(text, '\n')+1:])
	if text == "" {
		return true
	}
	return (now != before && strings.HasSuffix(now, text)) || strings.Count(now, text) > strings.Count(before, text)
}

func squeeze(text string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '\t' || c == '\u00a0' {
			return -1
		}
		return c
	}, text)
}
