package node

import (
	"context"
	"errors"
	"strings"
	"time"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
	"collie/node/status"
)

var (
	// errNotSeen says that typed text did not appear where it was expected.
	errNotSeen = errors.New("the text did not appear at the end of the input")
	// errTaken says that something else got the input before Enter.
	errTaken = errors.New("something else has the input now")
)

// line pastes text and looks for it; with submit it presses Enter and looks
// that it left. Where each line is sent as it comes, a text of several goes line
// by line. Before the first byte and before each Enter it asks still. It returns
// how far it came, also with an error.
func (in *input) line(ctx context.Context, w *writer, id pane.ID, text string, submit bool, still func() error) (api.Replied, error) {
	ctx, cancel := context.WithTimeout(ctx, lineTimeout)
	defer cancel()
	t := &typing{input: in, writer: w, id: id, still: still}
	if err := t.open(ctx); err != nil {
		return api.Replied{}, err
	}
	byLine := t.sight.Adapter.ByLine || !t.pastes()
	switch {
	case !submit && byLine && strings.ContainsAny(text, "\r\n"):
		return api.Replied{}, api.ErrWouldSubmit
	case !submit || !byLine || !strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\r\n"):
		return t.part(ctx, text, submit)
	}
	sent := 0
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" && t.sight.Adapter.Agent() {
			continue // an empty line says nothing to an agent, and Enter alone might
		}
		done, err := t.next(ctx, line, sent)
		switch {
		case err == nil:
			sent++
		case sent == 0:
			return done, err
		default:
			return api.Replied{TextDelivered: true}, api.ErrPartlySent.With(api.Replied{TextDelivered: true, Lines: sent})
		}
	}
	return api.Replied{TextDelivered: true, Submitted: true}, nil
}

// typing is one text on its way into a pane.
type typing struct {
	input  *input
	writer *writer
	id     pane.ID
	still  func() error

	modes pane.Modes
	sight status.Sight // before the text
}

// pastes reports whether several lines are one paste. A program with a box asks
// for it, even where the multiplexer has yet to see that.
func (t *typing) pastes() bool {
	return t.modes.BracketedPaste || (t.sight.Reading.Boxed && !t.input.panes.Capabilities().PasteKnown)
}

// open looks whether the input takes text.
func (t *typing) open(ctx context.Context) (err error) {
	if t.modes, err = t.input.panes.Modes(ctx, t.id); err != nil {
		return err
	}
	if t.sight, err = t.input.look(ctx, t.id); err != nil {
		return err
	}
	switch r := t.sight.Reading; {
	case t.modes.Password:
		return api.ErrPasswordPrompt
	case r.Owned:
		return api.ErrDialogOpen
	case r.Boxed && r.Input == nil:
		return api.ErrInputUnseen
	}
	return nil
}

// next sends one of several lines. Before all but the first one the input is
// looked at again.
func (t *typing) next(ctx context.Context, line string, sent int) (api.Replied, error) {
	if sent > 0 {
		if err := t.open(ctx); err != nil {
			return api.Replied{}, err
		}
	}
	return t.part(ctx, line, true)
}

// part types what one Enter sends.
func (t *typing) part(ctx context.Context, text string, submit bool) (done api.Replied, err error) {
	in, id := t.input, t.id
	if err := t.still(); err != nil {
		return done, err
	}
	paste := func() error {
		if text == "" {
			return nil
		}
		if err := in.panes.Paste(ctx, id, text); err != nil {
			return err
		}
		t.writer.draft, done.TextDelivered = true, true
		return nil
	}
	if !submit {
		err := paste()
		return done, err
	}
	seen, err := t.afterwards(ctx, paste, func(now shot) bool { return now.owned || now.holds(t.before(), text) })
	switch {
	case err != nil:
		return done, err
	case seen.owned:
		return done, errTaken
	}
	if err := t.settle(ctx); err != nil {
		return done, err
	}
	if err := t.still(); err != nil {
		return done, err
	}
	if err := t.unchanged(ctx, seen); err != nil {
		return done, err
	}
	enter := func() error { return in.panes.Input(ctx, id, []byte{'\r'}) }
	if text == "" { // Enter alone may leave the screen as it is
		err = enter()
	} else {
		err = t.leaves(ctx, enter, seen)
	}
	if err != nil {
		return done, err
	}
	t.writer.draft, done.Submitted = false, true
	return done, nil
}

// leaves presses Enter and waits until the text has left the input, and stays
// away: a box that is drawn anew shows less for a moment.
func (t *typing) leaves(ctx context.Context, enter func() error, seen shot) error {
	for first := true; ; first = false {
		left := func(now shot) bool { return now.left(seen) }
		var last shot
		var err error
		if first {
			last, err = t.afterwards(ctx, enter, left)
		} else {
			last, err = t.await(ctx, left)
		}
		switch {
		case errors.Is(err, errNotSeen) && last.boxed && last.input == nil:
			return nil // the input is gone for good: it took the text, or ended by it
		case err != nil || !seen.boxed:
			return err
		}
		if err := pause(ctx, redrawn); err != nil {
			return err
		}
		sight, err := t.input.look(ctx, t.id)
		if err != nil {
			return err
		}
		now := shotOf(sight.Adapter, rowsOf(sight.Frame), sight.Frame)
		if sight.Program != t.sight.Program || now.left(seen) {
			return nil
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errNotSeen
	}
}

// settle waits as long as the program takes an Enter for a part of the paste.
func (t *typing) settle(ctx context.Context) error {
	if t.sight.Adapter.Settle == 0 {
		return nil
	}
	return pause(ctx, t.sight.Adapter.Settle)
}

// unchanged looks once more, right before Enter: the same program waits, nothing
// but the text is in its input, and it asks for no password.
func (t *typing) unchanged(ctx context.Context, seen shot) error {
	sight, err := t.input.look(ctx, t.id)
	if err != nil {
		return err
	}
	modes, err := t.input.panes.Modes(ctx, t.id)
	if err != nil {
		return err
	}
	now := shotOf(sight.Adapter, rowsOf(sight.Frame), sight.Frame)
	switch {
	case sight.Program != t.sight.Program, now.owned, modes.Password:
		return errTaken
	case now.boxed && harness.Squeeze(now.text) != harness.Squeeze(seen.text):
		return errTaken // somebody else typed
	}
	return nil
}

// A shot is what of a screen matters to a text that is typed.
type shot struct {
	boxed  bool
	owned  bool
	input  *harness.Input // of a program with a box
	text   string         // in the input: of the box, else of the line at the cursor
	full   bool           // that line begins at the top of the screen or above
	cursor grid.Cursor
}

func shotOf(a *harness.Adapter, rows []grid.Row, head grid.Frame) shot {
	r := a.Read(harness.Screen{Rows: rows, Cols: head.Cols, Cursor: head.Cursor, Title: head.Title})
	s := shot{boxed: r.Boxed, owned: r.Owned, input: r.Input, cursor: head.Cursor}
	switch {
	case !s.boxed:
		s.text = atCursor(rows, head.Cursor)
		s.full = len(rows) > 0 && beginsAtTop(rows, head.Cursor)
	case r.Input != nil:
		s.text = r.Input.Text
	}
	return s
}

func (t *typing) before() shot {
	return shotOf(t.sight.Adapter, rowsOf(t.sight.Frame), t.sight.Frame)
}

// holds reports whether a text has come into the input.
func (s shot) holds(before shot, text string) bool {
	if s.boxed {
		return s.input.Holds(before.input, text)
	}
	if appeared(before.text, s.text, text) {
		return true
	}
	return s.full && s.text != before.text && (&harness.Input{Text: s.text}).Holds(nil, text)
}

// left reports whether what was seen in the input is there no more.
func (s shot) left(seen shot) bool {
	if s.boxed {
		return s.owned || (s.input != nil && harness.Squeeze(s.text) != harness.Squeeze(seen.text))
	}
	return s.cursor != seen.cursor || s.text != seen.text
}

// await looks at each new screen until one is as wanted. A program that goes on
// drawing has longer than one that stands still.
func (t *typing) await(ctx context.Context, wanted func(shot) bool) (found shot, err error) {
	return t.watch(ctx, nil, wanted)
}

// afterwards does something to the pane while it is watched, and awaits what comes
// of it: the answer to what is typed is not held back for the pace of pictures.
func (t *typing) afterwards(ctx context.Context, do func() error, wanted func(shot) bool) (found shot, err error) {
	failed := error(nil)
	found, err = t.watch(ctx, func() error { failed = do(); return failed }, wanted)
	if failed != nil {
		return found, failed
	}
	return found, err
}

// watch is await and, with do, afterwards: the screen before that counts for
// nothing.
func (t *typing) watch(ctx context.Context, do func() error, wanted func(shot) bool) (found shot, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	stalled := time.AfterFunc(stallTimeout, cancel)
	defer stalled.Stop()
	seen := errors.New("seen")
	var screen grid.Screen
	err = t.input.panes.Watch(ctx, t.id, func(frame grid.Frame) error {
		if _, err := screen.Apply(frame); err != nil {
			return err
		}
		if do != nil {
			act := do
			do = nil
			stalled.Reset(stallTimeout)
			return act()
		}
		if found = shotOf(t.sight.Adapter, screen.Rows(), screen.Head()); wanted(found) {
			return seen
		}
		stalled.Reset(stallTimeout)
		return nil
	})
	switch {
	case errors.Is(err, seen):
		return found, nil
	case ctx.Err() != nil:
		return found, errNotSeen
	}
	return found, err
}
