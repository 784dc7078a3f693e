// Package view is the screen of one pane as several watchers see it: the
// emulator that the program's output goes through, and the pictures of it. The
// process that holds a builtin pane has one, and the node has one for each pane
// of another multiplexer.
//
// A watcher gets the whole picture first and then what changed, at most 60 times
// a second and never a backlog: what happens while it looks is in the next one.
// Nothing ticks while nothing changes. Bounds are in limits.go.
package view

import (
	"sync"
	"time"

	"collie/mesh/notify"
	"collie/node/grid"
	"collie/node/grid/ends"
	"collie/node/pane/draft"
	"collie/node/terminal"
)

// Modes are what a program has asked its terminal for, and what else whoever types
// has to know.
type Modes struct {
	BracketedPaste    bool `json:"bracketedPaste"`
	ApplicationCursor bool `json:"applicationCursor"`
	AlternateScreen   bool `json:"alternateScreen"`
	// Password: whole lines are read without an echo, as for a password.
	Password bool `json:"password"`
	// Echo: the kernel itself echoes what is typed.
	Echo bool `json:"echo"`
	// Line is what whoever passes on what is typed knows of the line that is typed.
	Line draft.Line `json:"line,omitempty"`
}

// History is a piece of a scrollback of Total lines, oldest line first.
type History struct {
	Rows  []grid.Row `json:"rows"`
	Total int        `json:"total"`
	// Above and Below are the lines around it that a mask has to read with it,
	// at most [grid.MaxAbove] each.
	Above []grid.Row `json:"above,omitempty"`
	Below []grid.Row `json:"below,omitempty"`
}

// A Discipline is how the kernel treats what is typed.
type Discipline struct{ Canonical, Echo bool }

// Echoes says that a typed character will surely appear: the kernel puts it
// there itself. A program that reads raw (an editor, readline) may or may not
// draw it, and nobody can tell from outside.
func (d Discipline) Echoes() bool { return d.Canonical && d.Echo }

// Password says that lines are read blindly, as for a password.
func (d Discipline) Password() bool { return d.Canonical && !d.Echo }

// A View is a pane's screen.
type View struct {
	changed    notify.Hub // signalled when there may be something new to see
	typed      notify.Hub // signalled when somebody types
	discipline func() Discipline

	mu     sync.Mutex // guards what follows; held for one chunk of output or one picture
	screen *terminal.Screen
	// number is that of the newest picture, and shown and echo are what it
	// showed: the screen's own number and the promise of an echo.
	number   uint64
	shown    uint64
	echo     bool
	password bool
	// replaced counts the screens before this one.
	replaced uint64
	// ends has seen the screen up to its number followed, at that time.
	ends       ends.Tracker
	followed   uint64
	followedAt time.Time
}

// New returns an empty screen. discipline is asked for each picture.
func New(cols, rows, scrollback int, discipline func() Discipline) *View {
	return &View{discipline: discipline, screen: terminal.New(cols, rows, scrollback), number: 1}
}

// Write shows output and returns what the terminal has to answer to it, and the
// title that it has now.
func (v *View) Write(output []byte) (replies []byte, title string) {
	v.mu.Lock()
	if now := time.Now(); now.Sub(v.followedAt) >= frameInterval && !v.screen.Modes().Synchronized {
		v.follow(now) // what was written before, as somebody would have seen it
	}
	v.screen.Write(output)
	replies, title = v.screen.TakeReplies(), v.screen.Title()
	v.mu.Unlock()
	v.changed.Signal()
	return replies, title
}

// Resize changes the size of the screen and, between its last and its next
// picture, by first that of the program's terminal.
func (v *View) Resize(cols, rows int, first func() error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := first(); err != nil {
		return err
	}
	v.screen.Resize(cols, rows)
	v.changed.Signal()
	return nil
}

// Replace shows another screen from the next picture on: one that was made of
// what another program keeps.
func (v *View) Replace(screen *terminal.Screen) {
	v.mu.Lock()
	v.screen = screen
	v.replaced++
	v.number++
	v.shown = screen.Seq()
	v.ends.Forget()
	v.followed = 0
	v.mu.Unlock()
	v.changed.Signal()
}

// Touch says that there may be something new to see, and Typed that somebody
// types: the next picture comes at once.
func (v *View) Touch() { v.changed.Signal() }

// Typed is Touch for what a watcher waits for.
func (v *View) Typed() { v.typed.Signal() }

// Modes returns what the program has asked its terminal for.
func (v *View) Modes() Modes {
	discipline := v.discipline()
	v.mu.Lock()
	defer v.mu.Unlock()
	modes := v.screen.Modes()
	return Modes{
		BracketedPaste:    modes.BracketedPaste,
		ApplicationCursor: modes.ApplicationCursor,
		AlternateScreen:   modes.AlternateScreen,
		Password:          discipline.Password(),
		Echo:              discipline.Echoes(),
	}
}

// History returns lines of scrollback, the oldest being 0.
func (v *View) History(from, count int) History {
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
func (v *View) redrawing() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.screen.Modes().Synchronized
}

// A seen is the picture that a watcher has: its head, and the screen's number,
// and how many screens were before that one.
type seen struct {
	head     grid.Frame
	shown    uint64
	replaced uint64
}

// Whole returns the picture with every row.
func (v *View) Whole() grid.Frame {
	frame, _ := v.whole()
	return frame
}

func (v *View) whole() (grid.Frame, seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.picture(seen{})
}

// since returns what changed after a picture, and false when nothing did.
func (v *View) since(last seen) (grid.Frame, seen, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.moved() && v.number == last.head.Seq && v.replaced == last.replaced {
		return grid.Frame{}, last, false
	}
	frame, now := v.picture(last)
	return frame, now, true
}

// moved looks whether there is a newer picture, and numbers it. The echo is the
// kernel's affair and changes without output, so it is looked up.
func (v *View) moved() bool {
	shown, discipline := v.screen.Seq(), v.discipline()
	echo, password := discipline.Echoes(), discipline.Password()
	if shown == v.shown && echo == v.echo && password == v.password {
		return false
	}
	v.shown, v.echo, v.password = shown, echo, password
	v.number++
	return true
}

// follow notes where rows are being written to, also while nobody looks: whoever
// comes in the middle of a word must not see a secret that is half there.
func (v *View) follow(now time.Time) {
	v.followedAt = now
	if seq := v.screen.Seq(); seq != v.followed {
		cols, rows := v.screen.Size()
		v.ends.See(cols, rows, v.screen.Changed(v.followed), func(row int) string { return v.screen.Row(row).Text() })
		v.followed = seq
	}
}

func (v *View) picture(last seen) (grid.Frame, seen) {
	v.moved()
	v.follow(time.Now())
	cols, rows := v.screen.Size()
	head := grid.Frame{
		Seq: v.number, Cols: cols, Rows: rows,
		Cursor: v.screen.Cursor(), Title: v.screen.Title(), Echo: v.echo, Password: v.password,
		Alternate: v.screen.Modes().AlternateScreen, Ends: v.ends.Ends(),
	}
	frame := head
	frame.Above = v.above()
	if cols != last.head.Cols || rows != last.head.Rows || v.replaced != last.replaced {
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
	return frame, seen{head: head, shown: v.shown, replaced: v.replaced}
}

// above returns the scrollback that has to be read with the first row: whoever
// masks the screen must be able to read a text whose beginning has scrolled away.
func (v *View) above() []grid.Row {
	if v.screen.Modes().AlternateScreen {
		return nil // nothing scrolls out of it
	}
	return v.screen.Above(v.screen.HistoryLen())
}
