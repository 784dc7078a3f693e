package node

import (
	"context"
	"maps"
	"sync"
	"time"

	"collie/node/api"
	"collie/node/pane"
	"collie/node/typing"
)

// turns gives out the right to type into a pane, to one at a time.
type turns struct {
	panes pane.Multiplexer

	mu      sync.Mutex         // guards writers, not what they guard
	writers map[string]*writer // by pane.Info.Instance: an id may be given out again
}

// A writer is the one right to type into a pane.
type writer struct {
	turn chan struct{} // holds one value while nobody types

	// What follows belongs to whoever has the turn.
	line    typing.Line
	stands  *sending        // what replies typed and did not submit, with no key since
	unread  bool            // the last reply met an input that could not be read
	pages   map[string]page // whose keys came, by their random id
	escaped time.Time       // when an Escape was held back
}

// pressed takes note of keys that somebody pressed, and of whether the last one
// emptied the line.
func (w *writer) pressed(emptied bool) {
	w.line.Pressed(emptied)
	w.stands = nil
}

// stood is what replies left in the input of a text, if it is still all that stands
// there as far as the screen tells: in a pane into which persons type past the node,
// they may have gone on with it, or entered it.
func (w *writer) stood(t *typing.Text) *sending {
	if w.stands != nil && t.By.Panes.Capabilities().Shared && !t.Behind(w.stands.whole()) {
		return nil
	}
	return w.stands
}

// A page is one browser page that types.
type page struct {
	n       uint64 // the highest count that was done
	program string // the run of the program that it types for
}

// text is one that whoever has the turn types.
func (n *Node) text(w *writer, id pane.ID) *typing.Text {
	return &typing.Text{By: n.typist, Line: &w.line, Pane: id}
}

func newTurns(panes pane.Multiplexer) *turns {
	return &turns{panes: panes, writers: map[string]*writer{}}
}

// take waits for the turn at a pane.
func (t *turns) take(ctx context.Context, id pane.ID) (*writer, func(), error) {
	info, err := t.panes.Get(id)
	if err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	w := t.writers[info.Instance]
	if w == nil {
		if len(t.writers) >= maxWriters {
			t.forgetGone()
		}
		if len(t.writers) >= maxWriters {
			t.mu.Unlock()
			return nil, nil, api.ErrTooManyPanes
		}
		w = &writer{turn: make(chan struct{}, 1), pages: map[string]page{}}
		w.turn <- struct{}{}
		t.writers[info.Instance] = w
	}
	t.mu.Unlock()
	select {
	case <-w.turn:
		return w, func() { w.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// forgetGone drops what is remembered of programs that are gone. t.mu is held.
func (t *turns) forgetGone() {
	there := map[string]bool{}
	for _, info := range t.panes.List() {
		there[info.Instance] = true
	}
	maps.DeleteFunc(t.writers, func(instance string, _ *writer) bool { return !there[instance] })
}
