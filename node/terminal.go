package node

import (
	"context"
	"errors"
	"sync"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/pane"
	"collie/node/walky"
)

// terminal is this machine's panes as walky messages need them.
type terminal struct{ node *Node }

func (t terminal) Sessions(context.Context) ([]walky.Session, error) {
	var sessions []walky.Session
	for _, info := range t.node.Panes.List() {
		if info.Exited != nil {
			continue // its session is over, and so is its address
		}
		belief := t.node.Status.Of(info)
		sessions = append(sessions, walky.Session{
			Pane: string(info.ID), Label: info.Label, Harness: belief.Harness(), Status: string(belief.Status),
			Program: info.Instance + "." + belief.Program, Told: t.node.sessions.running(info.ID, belief.Program),
		})
	}
	return sessions, nil
}

// errStale ends a line whose session is no longer there.
var errStale = errors.New("session is no longer there")

// Type types the line that announces a message, under the rules of any reply,
// and not into a draft that somebody has begun.
func (t terminal) Type(ctx context.Context, id, line string, stillThere func() bool) error {
	n := t.node
	w, done, err := n.input.take(ctx, pane.ID(id))
	if errors.Is(err, pane.ErrNotFound) {
		return walky.ErrGone
	}
	if err != nil {
		return err
	}
	defer done()
	sight, err := n.Status.Look(ctx, pane.ID(id))
	if errors.Is(err, pane.ErrNotFound) || (err == nil && !sight.Adapter.Agent()) {
		return walky.ErrGone // a line in a shell would be a command
	}
	if err != nil {
		return err
	}
	if r := sight.Reading; r.Owned || (r.Boxed && !r.Input.Free()) || (!r.Boxed && w.draft) {
		return walky.ErrBusy
	}
	entry := audit.Entry{Action: "walky.type", Pane: id, Outcome: "accepted"}
	if err := n.Audit.Write(entry); err != nil {
		return walky.ErrBusy // nothing is typed that cannot be audited
	}
	typing := &typing{input: n.input, writer: w, id: pane.ID(id), still: func() error {
		if !stillThere() {
			return errStale
		}
		return nil
	}}
	_, err = typing.line(ctx, line, true)
	switch {
	case errors.Is(err, api.ErrPasswordPrompt), errors.Is(err, api.ErrDialogOpen), errors.Is(err, api.ErrInputUnseen):
		return walky.ErrBusy
	case errors.Is(err, errStale), errors.Is(err, pane.ErrNotFound), errors.Is(err, pane.ErrEnded):
		return walky.ErrGone
	}
	return err
}

// nudge has what waits for a pane typed once its program may take it, which is
// whenever something else is believed of it. stop ends it.
func (n *Node) nudge() (stop func()) {
	changed, unsubscribe := n.Status.Changes()
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
			for _, info := range n.Panes.List() {
				n.Walky.Nudge(string(info.ID))
			}
		}
	})
	return func() { cancel(); work.Wait(); unsubscribe() }
}
