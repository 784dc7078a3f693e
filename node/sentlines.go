package node

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/launch"
	"collie/node/pane"
	"collie/node/sent"
)

// A sending is a line on its way into a pane, as far as it may be written down.
// It knows what it goes to before it is typed: a line may start an agent.
type sending struct {
	node  *Node
	id    pane.ID
	text  string
	shell bool // or something of which nobody knows better
	// before is what stood in the input when the text came, unless that is unknown:
	// it is entered with the text, and what may be kept is the whole.
	before  string
	unknown bool
	// hidden says that it may have answered a password prompt.
	hidden bool
	once   bool // a one-off line, which is among the latest ones, too
}

func (n *Node) sending(id pane.ID, text string) *sending {
	return &sending{node: n, id: id, text: text, shell: true}
}

// behind tells the line what it is typed behind, where the input may not be free: what
// replies left there, or something that nobody knows.
func (s *sending) behind(stands *sending) {
	if s.unknown = stands == nil; !s.unknown {
		s.before, s.hidden = stands.whole(), stands.hidden
		s.once = stands.once && s.text == "" // as it stands
	}
}

func (s *sending) whole() string { return s.before + s.text }

func (s *sending) keeps() bool { return !s.unknown && s.node.rules.Keeps(s.whole()) }

// said is how the line is written down: as marks where nobody may read it, because a
// password is asked for, or because it is refused and may have been meant for one. Of
// one that is not kept after it was sent to a shell the audit log has no text either.
func (s *sending) said(hidden bool) audit.What {
	if adapter, _, err := s.node.Status.Running(s.id); err == nil {
		s.shell = !adapter.Agent()
	}
	switch {
	case s.shell && !s.keeps():
		return audit.What{}
	case hidden:
		return audit.Marks(s.text)
	}
	return audit.Text(s.text)
}

// sent remembers the line of a shell. That it cannot is no reason to say that it
// was not sent.
func (s *sending) sent() {
	if !s.shell || s.hidden || !s.keeps() {
		return
	}
	err := s.node.Sent.Add(string(s.id), s.whole())
	if s.once && s.node.Config.On("COLLIE_SENT") {
		err = errors.Join(err, s.node.recent.Add(s.whole()))
	}
	if err != nil {
		s.node.log.Warn("a line was sent, and is not in the list of sent lines", "pane", s.id, "error", err)
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

// SentForget forgets one line, also as one of the latest one-off lines.
func (l *Local) SentForget(ctx context.Context, forget api.SentForget) (api.SentGone, error) {
	err := l.goes(ctx, "sent.forget", func(admit func(int) error) error {
		line, err := l.node.Sent.Forget(forget.ID, admit)
		if err == nil {
			err = l.node.recent.Forget(line.Text)
		}
		return err
	})
	if err != nil {
		return api.SentGone{}, err
	}
	return api.SentGone{Count: 1}, nil
}

// SentClear forgets every line.
func (l *Local) SentClear(ctx context.Context) (api.SentGone, error) {
	count := 0
	err := l.goes(ctx, "sent.clear", func(admit func(int) error) (err error) {
		if count, err = l.node.Sent.Clear(admit); err == nil {
			err = l.node.recent.Forget("")
		}
		return err
	})
	return api.SentGone{Count: count}, err
}

// goes has lines go, which are admitted once it is known how many. It writes that
// down, and never which.
func (l *Local) goes(ctx context.Context, action string, do func(admit func(count int) error) error) error {
	entry, admitted := audit.Entry{Action: action, Device: api.Device(ctx), Via: Via(ctx)}, false
	err := sentError(do(func(count int) error {
		entry.What = audit.ID(strconv.Itoa(count))
		err := l.node.admit(entry)
		admitted = err == nil
		return err
	}))
	if !admitted {
		return err
	}
	return l.node.failed(entry, err)
}

func sentError(err error) error {
	switch {
	case errors.Is(err, sent.ErrNotFound):
		return api.ErrSentNotFound
	case errors.Is(err, sent.ErrUnavailable), errors.Is(err, launch.ErrUnavailable):
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
