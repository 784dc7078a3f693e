package node

import (
	"context"
	"errors"
	"sync"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/typing"
	"collie/node/walky"
)

// terminal is this machine's panes as walky messages need them.
type terminal struct{ node *Node }

func (p terminal) Sessions(context.Context) ([]walky.Session, error) {
	var sessions []walky.Session
	for _, info := range p.node.Panes.List() {
		if info.Exited != nil {
			continue // its session is over, and so is its address
		}
		belief := p.node.Status.Of(info)
		sessions = append(sessions, walky.Session{
			Pane: string(info.ID), Label: info.Label, Harness: belief.Harness(), Status: string(belief.Status),
			Program: info.Instance + "." + belief.Program, Told: p.node.sessions.running(info.ID, belief.Program),
		})
	}
	return sessions, nil
}

// errStale ends a line whose session is no longer there.
var errStale = errors.New("session is no longer there")

// Type types the line that announces a message, under the rules of any reply,
// and not into a draft that somebody has begun.
func (p terminal) Type(ctx context.Context, id, line string, stillThere func() bool) error {
	n := p.node
	w, done, err := n.turns.take(ctx, pane.ID(id))
	if errors.Is(err, pane.ErrNotFound) {
		return walky.ErrGone
	}
	if err != nil {
		return err
	}
	defer done()
	switch err := n.typist.Rest(ctx, pane.ID(id), &w.line); {
	case errors.Is(err, pane.ErrNotFound):
		return walky.ErrGone
	case errors.Is(err, typing.ErrNotSeen):
		return walky.ErrBusy
	case err != nil:
		return err
	}
	entry := audit.Entry{Action: "walky.type", Pane: id, Outcome: "accepted"}
	var synced func() error // of the audit line, once there is one
	t := n.text(w, pane.ID(id))
	t.Saw = func(sight status.Sight) error {
		switch {
		case !sight.Adapter.Agent():
			return walky.ErrGone // a line in a shell would be a command
		case !t.Free:
			return walky.ErrBusy
		}
		return nil
	}
	t.Still = func() error {
		if synced == nil {
			if synced, err = n.Audit.Add(entry); err != nil {
				return walky.ErrBusy // nothing is typed that cannot be audited
			}
		}
		if !stillThere() {
			return errStale
		}
		return nil
	}
	_, err = t.Type(ctx, line, true)
	if err != nil && synced != nil && !errors.Is(err, errStale) { // a session that has gone is the message's own end
		_ = n.ended(entry, paneError(err))
	}
	switch {
	case errors.Is(err, api.ErrPasswordPrompt), errors.Is(err, api.ErrDialogOpen), errors.Is(err, api.ErrInputUnseen), errors.Is(err, api.ErrScreenChanged): // nothing was typed
		return walky.ErrBusy
	case errors.Is(err, errStale), errors.Is(err, pane.ErrNotFound), errors.Is(err, pane.ErrEnded):
		return walky.ErrGone
	case err != nil || synced == nil:
		return err
	}
	return synced() // before anybody is told that it was typed
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
