package holder

import (
	"sync"

	"collie/mesh/notify"
	"collie/node/grid"
	"collie/node/terminal"
)

// A view is the pane's terminal as several connections see it.
type view struct {
	// changed is signalled when there may be something new to see.
	changed notify.Hub
	// typed is signalled when a node types.
	typed notify.Hub
	tty   tty

	mu     sync.Mutex // guards what follows; held for one chunk of output or one picture
	screen *terminal.Screen
	// number is that of the newest picture, and shown and echo are what it
	// showed: the screen's own number and the promise of an echo.
	number uint64
	shown  uint64
	echo   bool
}

func newView(cols, rows, scrollback int, tty tty) *view {
	return &view{tty: tty, screen: terminal.New(cols, rows, scrollback), number: 1}
}

// write shows output and returns what the terminal has to answer to it, and the
// title that it has now.
func (v *view) write(output []byte) (replies []byte, title string) {
	v.mu.Lock()
	v.screen.Write(output)
	replies, title = v.screen.TakeReplies(), v.screen.Title()
	v.mu.Unlock()
	v.changed.Signal()
	return replies, title
}

// resize changes the size of the screen and, between its last and its next
// picture, that of the program's terminal.
func (v *view) resize(to size) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.tty.setSize(to); err != nil {
		return err
	}
	v.screen.Resize(to.Cols, to.Rows)
	v.changed.Signal()
	return nil
}

func (v *view) modes() Modes {
	discipline := v.tty.discipline()
	v.mu.Lock()
	defer v.mu.Unlock()
	modes := v.screen.Modes()
	return Modes{
		BracketedPaste:    modes.BracketedPaste,
		ApplicationCursor: modes.ApplicationCursor,
		AlternateScreen:   modes.AlternateScreen,
		Password:          discipline.password(),
		Echo:              discipline.echoes(),
	}
}

func (v *view) history(from, count int) History {
	v.mu.Lock()
	defer v.mu.Unlock()
	rows := v.screen.History(from, min(count, MaxHistory))
	h := History{Rows: rows, Total: v.screen.HistoryLen()}
	if len(rows) > 0 {
		h.Above, h.Below = v.screen.Above(max(from, 0)), v.screen.Below(max(from, 0)+len(rows))
	}
	return h
}

// redrawing says that the program is in the middle of a redraw, by its own word.
func (v *view) redrawing() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.screen.Modes().Synchronized
}

// A seen is the picture that a watcher has: its head, and the screen's number.
type seen struct {
	head  grid.Frame
	shown uint64
}

// whole returns the picture with every row.
func (v *view) whole() (grid.Frame, seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.picture(seen{})
}

// since returns what changed after a picture, and false when nothing did.
func (v *view) since(last seen) (grid.Frame, seen, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.moved() && v.number == last.head.Seq {
		return grid.Frame{}, last, false
	}
	frame, now := v.picture(last)
	return frame, now, true
}

// moved looks whether there is a newer picture, and numbers it. The echo is the
// kernel's affair and changes without output, so it is looked up.
func (v *view) moved() bool {
	shown, echo := v.screen.Seq(), v.tty.discipline().echoes()
	if shown == v.shown && echo == v.echo {
		return false
	}
	v.shown, v.echo = shown, echo
	v.number++
	return true
}

func (v *view) picture(last seen) (grid.Frame, seen) {
	v.moved()
	cols, rows := v.screen.Size()
	head := grid.Frame{
		Seq: v.number, Cols: cols, Rows: rows,
		Cursor: v.screen.Cursor(), Title: v.screen.Title(), Echo: v.echo,
	}
	frame := head
	frame.Above = v.above()
	if cols != last.head.Cols || rows != last.head.Rows {
		frame.Lines = make([]grid.Line, rows)
		for i := range frame.Lines {
			frame.Lines[i] = grid.Line{I: i, Row: v.screen.Row(i)}
		}
	} else {
		changed := v.screen.Changed(last.shown)
		frame.Lines = make([]grid.Line, len(changed))
		for at, i := range changed {
			frame.Lines[at] = grid.Line{I: i, Row: v.screen.Row(i)}
		}
	}
	return frame, seen{head: head, shown: v.shown}
}

// above returns the scrollback that has to be read with the first row: whoever
// masks the screen must be able to read a text whose beginning has scrolled away.
func (v *view) above() []grid.Row {
	if v.screen.Modes().AlternateScreen {
		return nil // nothing scrolls out of it
	}
	return v.screen.Above(v.screen.HistoryLen())
}
