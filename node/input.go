package node

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"collie/node/api"
	"collie/node/grid"
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
	log   *slog.Logger

	mu      sync.Mutex         // guards writers, not what they guard
	writers map[string]*writer // by pane.Info.Instance: an id may be given out again
}

// A writer is the one right to type into a pane.
type writer struct {
	turn chan struct{} // holds one value while nobody types

	// What follows belongs to whoever has the turn.
	draft   bool            // something was typed and not submitted
	stands  *sending        // the line of a reply that was, with no key since
	held    *string         // what phones typed into a free input since; nil when somebody else did, too
	unread  bool            // the last reply met an input that could not be read
	pages   map[string]page // whose keys came, by their random id
	escaped time.Time       // when an Escape was held back
	emptied time.Time       // when a key last ended the line, as far as the node saw it
}

// A page is one browser page that types.
type page struct {
	n       uint64 // the highest count that was done
	program string // the run of the program that it types for
}

func newInput(panes screens, board *status.Board, log *slog.Logger) *input {
	return &input{panes: panes, look: board.Look, log: log, writers: map[string]*writer{}}
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
