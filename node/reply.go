package node

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"collie/node/api"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/tally"
	"collie/node/typing"
)

func (l *Local) Reply(ctx context.Context, id string, reply api.Reply) (api.Replied, error) {
	if len(reply.Text) > api.MaxReplyBytes {
		return api.Replied{}, api.ErrTooLarge
	}
	saw, err := l.saw(ctx, id, reply.Screen)
	switch {
	case err != nil:
		return api.Replied{}, err
	case reply.Discard:
		return l.discard(ctx, id, reply, saw)
	}
	if printable := strings.ContainsFunc(reply.Text, func(c rune) bool { return !unicode.IsControl(c) }); !printable && (reply.Text != "" || !reply.Submit) {
		return api.Replied{}, api.ErrBadRequest.With("there is nothing to send")
	}
	line := l.node.sending(pane.ID(id), reply.Text)
	ctx, cancel := context.WithTimeout(ctx, typing.Budget) // for the turn, the look, and the text
	defer cancel()
	w, done, err := l.node.turns.take(ctx, pane.ID(id))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return api.Replied{}, api.ErrPaneBusy // others are typing there
	case err != nil:
		return api.Replied{}, paneError(err)
	}
	defer done()
	t := l.node.text(w, pane.ID(id))
	t.Saw, t.Ahead, t.Holds = saw, saw == nil, l.phone(ctx, id)
	refusal := t.Open(ctx) // which send returns
	if refusal == nil && !t.Free {
		line.behind(w.stood(t))
	}
	return audited(l, ctx, "pane.reply", id, line.said(t.Hidden || refusal != nil), func() (api.Replied, error) {
		defer l.node.Walky.Nudge(id) // what waits for a free input tries again
		replied, err := l.node.send(ctx, t, reply.Text, reply.Submit)
		w.keep(line, t, replied, err)
		l.count(ctx, w, t, reply)
		return replied, err
	})
}

// send types a text, with what became of it under its stable code.
func (n *Node) send(ctx context.Context, t *typing.Text, text string, submit bool) (api.Replied, error) {
	replied, err := t.Type(ctx, text, submit)
	switch {
	case err == nil, !replied.TextDelivered, errors.Is(err, pane.ErrEnded), errors.Is(err, api.ErrOutcomeUnknown), errors.Is(err, api.ErrPartlySent):
		return replied, paneError(err)
	}
	n.log.Info("a text was typed and not submitted", "pane", t.Pane, "reason", err)
	return replied, api.ErrNotSubmitted.With(replied) // whatever went wrong, the text is there
}

// keep remembers what was entered of a line, with what stood in the input before it.
// One that was typed and not submitted stands there for what comes next.
func (w *writer) keep(line *sending, t *typing.Text, replied api.Replied, err error) {
	line.hidden = line.hidden || t.Hidden
	switch {
	case len(t.Entered) > 0:
		line.text, w.stands = strings.Join(t.Entered, "\n"), nil
		line.sent()
	case replied.TextDelivered && !line.unknown:
		w.stands = line
	case replied.TextDelivered, errors.Is(err, pane.ErrOutcomeUnknown):
		w.stands = nil
	}
}

// count counts what a person's reply met.
func (l *Local) count(ctx context.Context, w *writer, t *typing.Text, reply api.Reply) {
	byHand := reply.Text == "" && len(t.Entered) > 0
	switch {
	case Via(ctx) == "cli" || !reply.Submit:
		return
	case t.Unseen:
		l.node.Tally.Add(tally.Week{Unreadable: 1})
	case byHand && w.unread: // a Submit
		l.node.Tally.Add(tally.Week{SentByHand: 1})
	case len(t.Entered) > 0 && t.Free:
		l.node.Tally.Add(tally.Week{Free: 1})
	}
	w.unread = t.Unseen
}

// countKeys counts an Enter that a person pressed after an input that could not be
// read.
func (l *Local) countKeys(ctx context.Context, w *writer, keys []string) {
	if w.unread && Via(ctx) != "cli" && slices.ContainsFunc(keys, pane.SendsEnter) {
		l.node.Tally.Add(tally.Week{SentByHand: 1})
		w.unread = false
	}
}

// saw returns what refuses a sight whose prompt region is not the one that a person
// saw. The command line alone may say that nobody saw a screen, and then it is nil:
// it is the operator's own, and a script looks at nothing.
func (l *Local) saw(ctx context.Context, id, screen string) (func(status.Sight) error, error) {
	switch {
	case screen != "":
		return func(now status.Sight) error { return l.compare(id, now, screen) }, nil
	case Via(ctx) == "cli":
		return nil, nil
	}
	return nil, api.ErrScreenMissing
}
