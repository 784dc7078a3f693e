package node

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/pane"
	"collie/node/sent"
)

// shell reports whether what has a pane at this moment takes its lines as a shell
// does, and true when nobody knows.
func (n *Node) shell(id pane.ID) bool {
	a, _, err := n.Status.Running(id)
	return err != nil || !a.Agent()
}

// said is how a line is written down when it is sent to a pane. Of one that is
// not kept after it was sent to a shell the audit log has no text either.
func (n *Node) said(shell bool, text string) audit.What {
	if shell && !n.rules.Keeps(text) {
		return audit.What{}
	}
	return audit.Text(text)
}

// keep remembers a line that was sent to a shell. That it cannot is no reason to
// say that it was not sent.
func (n *Node) keep(id pane.ID, text string) {
	if !n.rules.Keeps(text) {
		return
	}
	if err := n.Sent.Add(string(id), text); err != nil {
		n.log.Warn("a line was sent, and is not in the list of sent lines", "pane", id, "error", err)
	}
}

// Sent lists the lines that were sent to this machine's shells, masked.
func (l *Local) Sent(context.Context) (api.Sent, error) {
	lines, err := l.node.Sent.Lines()
	if err != nil {
		return api.Sent{}, sentError(err)
	}
	answer := api.Sent{Lines: []api.SentLine{}, Keeping: l.node.Config.On("COLLIE_SENT")}
	bytes := 0
	for _, line := range lines {
		text, masked := l.node.maskText(line.Text, "sent")
		if bytes += len(text); bytes > api.MaxSentBytes {
			break
		}
		answer.Lines = append(answer.Lines, api.SentLine{ID: line.ID, At: line.At.UnixMilli(), Pane: line.Pane, Line: text, Masked: masked})
	}
	return answer, nil
}

// SentForget forgets one line.
func (l *Local) SentForget(ctx context.Context, forget api.SentForget) (api.SentGone, error) {
	err := l.node.Sent.Forget(forget.ID, l.admitGone(ctx, "sent.forget"))
	if err != nil {
		return api.SentGone{}, sentError(err)
	}
	return api.SentGone{Count: 1}, nil
}

// SentClear forgets every line.
func (l *Local) SentClear(ctx context.Context) (api.SentGone, error) {
	count, err := l.node.Sent.Clear(l.admitGone(ctx, "sent.clear"))
	return api.SentGone{Count: count}, sentError(err)
}

// admitGone writes down how many lines go, and never which.
func (l *Local) admitGone(ctx context.Context, action string) func(count int) error {
	return func(count int) error {
		return l.node.admit(audit.Entry{Action: action, Device: api.Device(ctx), Via: Via(ctx), What: audit.ID(strconv.Itoa(count))})
	}
}

func sentError(err error) error {
	switch {
	case errors.Is(err, sent.ErrNotFound):
		return api.ErrSentNotFound
	case errors.Is(err, sent.ErrUnavailable):
		return api.ErrSentUnavailable.With(err.Error())
	}
	return err
}

func (n *Node) sentRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/sent", Handle: n.sentList},
		{Method: http.MethodPost, Path: "/sent/forget", Handle: n.sentForget},
		{Method: http.MethodPost, Path: "/sent/clear", Handle: n.sentClear},
	}
}

func (n *Node) sentList(ctx context.Context, _ *control.Call) (any, error) {
	sent, err := n.Local().Sent(ctx)
	if err != nil {
		return nil, err
	}
	rows := []control.SentLine{}
	for _, line := range sent.Lines {
		rows = append(rows, control.SentLine{ID: line.ID, At: control.Millis(line.At), Pane: line.Pane, Line: line.Line})
	}
	return rows, nil
}

func (n *Node) sentForget(ctx context.Context, call *control.Call) (any, error) {
	var request api.SentForget
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return n.Local().SentForget(WithVia(ctx, "cli"), request)
}

func (n *Node) sentClear(ctx context.Context, _ *control.Call) (any, error) {
	return n.Local().SentClear(WithVia(ctx, "cli"))
}
