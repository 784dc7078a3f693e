package tmux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"collie/node/pane"
	"collie/node/pane/draft"
)

// A typed is what nodes have typed into a pane's program, as far as it matters to
// whoever types next. That a line was begun is an option of the pane besides: tmux
// outlives the node. What persons type there is seen by nobody: a line that a node
// began and a person entered counts as begun until a node enters one, since a screen
// on which it is not to be seen may be one from which it was pushed away.
type typed struct {
	turn sync.Mutex // held while a node types, and as long as tmux takes for it
	kept string     // the program that the option says to have a line begun; turn guards it

	mu      sync.Mutex // guards what follows
	pid     int        // of the program; another one was typed nothing
	tracker draft.Tracker
}

// meet begins anew with another program in the pane. begun is what the option says:
// the program that has a line begun.
func (t *typed) meet(pid int, begun string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pid == pid {
		return
	}
	t.pid, t.tracker = pid, draft.Begin(draft.Unknown)
	if begun == strconv.Itoa(pid) {
		t.tracker = draft.Begin(draft.Begun)
	}
}

// line is what is known of the line that is typed: that a node has begun it, or
// nothing, since a person may have.
func (t *typed) line() draft.Line {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tracker.Line() == draft.Begun {
		return draft.Begun
	}
	return draft.Unknown
}

// counted does what types some bytes, and keeps what that makes of the line. The
// option is there before the first byte, and goes after the last.
func (t *typed) counted(ctx context.Context, c *client, id pane.ID, bytes []byte, do func() error) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	t.mu.Lock()
	pid, after := t.pid, t.tracker
	t.mu.Unlock()
	after.Feed(bytes)
	if program := strconv.Itoa(pid); after.Line() == draft.Begun && t.kept != program {
		_, err := c.ask(ctx, "set-option -p -t "+string(id)+" @collie_begun "+program)
		if errors.Is(err, pane.ErrOutcomeUnknown) {
			err = fmt.Errorf("%w: tmux does not answer", pane.ErrAway) // nothing was typed yet
		}
		if err != nil {
			return err
		}
		t.kept = program
	}
	err := do()
	t.mu.Lock()
	if t.pid == pid && (err == nil || errors.Is(err, pane.ErrOutcomeUnknown) && after.Line() == draft.Begun) {
		t.tracker = after
	}
	begun := t.tracker.Line() == draft.Begun
	t.mu.Unlock()
	if t.kept != "" && !begun && c.send(command{text: "set-option -p -u -t " + string(id) + " @collie_begun"}) == nil {
		t.kept = ""
	}
	return err
}
