package node

import (
	"context"
	"errors"

	"collie/node/api"
	"collie/node/attach"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/draft"
)

// paneAttach shows a pane in the terminal of whoever called, with that size.
func (n *Node) paneAttach(ctx context.Context, call *control.Call) (func(*control.Stream), error) {
	var size attach.Size
	if err := call.Body(&size); err != nil {
		return nil, err
	}
	if !size.Valid() {
		return nil, api.ErrBadRequest.With("no pane can have this size")
	}
	id, err := pane.ParseID(call.Param("id"))
	if err == nil {
		_, err = n.Panes.Get(id)
	}
	if err != nil {
		return nil, paneError(err)
	}
	if call.Caller.Pane == string(id) {
		return nil, api.ErrBadRequest.With("a pane cannot show itself")
	}
	if err := n.admit(audit.Entry{Action: "pane.attach", Pane: string(id), Via: "cli"}); err != nil {
		return nil, err
	}
	return func(stream *control.Stream) {
		t := &attached{node: n, id: id, stream: stream, opening: n.sizes.Open(id, size), seen: make(chan struct{}, 1)}
		t.serve(ctx, size)
	}, nil
}

// attached is one terminal that shows a pane.
type attached struct {
	node    *Node
	id      pane.ID
	stream  *control.Stream
	opening *attach.Opening
	keys    *attachLog
	resizes *attachLog
	seen    chan struct{} // holds one value when a frame was painted
}

// serve ends when the terminal lets go, the pane's program ends, or ctx does.
func (t *attached) serve(ctx context.Context, size attach.Size) {
	ctx, end := context.WithCancelCause(ctx)
	cancel := func() { end(nil) }
	defer cancel()
	unaudited := func(err error) {
		t.node.log.Error("an attached terminal is let go of: what is done there cannot be audited", "pane", t.id, "error", err)
		end(api.ErrAuditUnavailable)
	}
	t.keys = &attachLog{log: t.node.Audit, action: "pane.keys", id: t.id, fail: unaudited}
	defer t.keys.close()
	t.resizes = &attachLog{log: t.node.Audit, action: "pane.resize", id: t.id, fail: unaudited}
	defer t.resizes.close()
	t.resize(ctx, size)
	defer func() {
		if size, ok := t.opening.Close(); ok {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.WriteBudget)
			defer cancel()
			t.resize(ctx, size)
		}
	}()
	reading := make(chan struct{})
	go func() { // ends when the stream is closed
		defer close(reading)
		defer cancel()
		t.listen(ctx)
	}()
	_ = t.stream.Write(attach.ToTerminal{End: t.show(ctx)})
	_ = t.stream.Close()
	<-reading
}

// show sends the screen until there is no more of it, and says why.
func (t *attached) show(ctx context.Context) *attach.End {
	changes, stop := t.node.Panes.Changes()
	defer stop()
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan error, 1)
	go func() {
		watched <- t.node.Panes.Watch(watching, t.id, func(frame grid.Frame) error { return t.frame(watching, frame) })
	}()
	for {
		if info, err := t.node.Panes.Get(t.id); err == nil && info.Exited != nil {
			cancel()
			<-watched
			if last, err := t.node.Panes.Screen(ctx, t.id); err == nil {
				_ = t.stream.Write(attach.ToTerminal{Frame: &last})
			}
			return &attach.End{Exited: info.Exited}
		}
		select {
		case <-changes:
		case err := <-watched:
			switch {
			case errors.Is(err, pane.ErrNotFound):
				return &attach.End{Reason: "the pane is gone"}
			case errors.Is(context.Cause(ctx), api.ErrAuditUnavailable):
				return &attach.End{Reason: "what is done here cannot be audited; the pane goes on"}
			case ctx.Err() != nil:
				return &attach.End{Reason: "the node stops; the pane goes on"}
			}
			return &attach.End{Reason: "the pane does not answer at present"}
		}
	}
}

// frame sends a picture and waits until it was painted, so that a terminal that
// is slow gets the newest one next.
func (t *attached) frame(ctx context.Context, frame grid.Frame) error {
	frame.Above, frame.Ends = nil, nil
	if err := t.stream.Write(attach.ToTerminal{Frame: &frame}); err != nil {
		return err
	}
	select {
	case <-t.seen:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listen takes what the terminal sends until it ends or makes no sense.
func (t *attached) listen(ctx context.Context) {
	var translate attach.Translator
	var names attach.Names
	for {
		var from attach.FromTerminal
		if err := t.stream.Read(2*attach.MaxInputBytes, &from); err != nil {
			return
		}
		switch {
		case from.Seen:
			select {
			case t.seen <- struct{}{}:
			default: // a word too many
			}
		case from.Size != nil:
			if !from.Size.Valid() {
				return
			}
			t.opening.Resize(*from.Size)
			t.resize(ctx, *from.Size)
		case len(from.Input) > 0:
			if err := t.input(ctx, &translate, from.Input, names.Keys(from.Input)); err != nil {
				t.node.log.Info("what was typed in an attached terminal was not taken", "pane", t.id, "reason", err)
			}
		}
	}
}

// input types, at the turn of this terminal: a reply of the phone is not mixed
// with it, and a message is not announced into a draft.
func (t *attached) input(ctx context.Context, translate *attach.Translator, typed []byte, keys []string) error {
	ctx, cancel := context.WithTimeout(ctx, api.WriteBudget)
	defer cancel()
	typed, err := translate.Translate(typed, func() (pane.Modes, error) { return t.node.Panes.Modes(ctx, t.id) })
	if err != nil || len(typed) == 0 {
		return err
	}
	w, done, err := t.node.turns.take(ctx, t.id)
	if err != nil {
		return err
	}
	defer done()
	if err := t.keys.note(keys); err != nil {
		return err
	}
	if err := t.node.Panes.Input(ctx, t.id, typed); err != nil {
		t.keys.refused(err)
		return err
	}
	emptied := draft.Empties(typed[len(typed)-1])
	w.pressed(emptied)
	if emptied {
		t.node.Walky.Nudge(string(t.id))
	}
	return nil
}

// resize gives the pane the terminal's size, as far as that is possible. It waits
// for its turn, so that a phone's size that was asked for before comes before.
func (t *attached) resize(ctx context.Context, size attach.Size) {
	ctx, cancel := context.WithTimeout(ctx, api.WriteBudget)
	defer cancel()
	_, done, err := t.node.turns.take(ctx, t.id)
	if err != nil {
		return
	}
	defer done()
	if t.resizes.note(nil) != nil {
		return
	}
	if err := t.node.Panes.Resize(ctx, t.id, size.Cols, size.Rows); err != nil {
		t.resizes.refused(err)
		t.node.log.Debug("a pane did not take the size of its terminal", "pane", t.id, "reason", err)
	}
}
