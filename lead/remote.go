package lead

import (
	"context"
	"errors"

	"collie/node"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/mask"
	"collie/node/mirror"
	"collie/node/sent"
	"collie/node/walky"
)

// remote is a member's machine as a phone may see it: what the member said,
// parsed, with its host stamped from the link, cleaned, bounded, and masked a
// second time by the lead; see clean.go. Its writes are in this machine's audit
// log before they leave.
type remote struct {
	machine api.Machine // at the other end of the link; not embedded, so that nothing of it passes unmasked
	own     api.Machine // this one
	host    string
	mask    *mask.Mask // nil when the lead does not mask
	audit   *audit.Log
	rules   sent.Rules // which forwarded lines are written down
	journal journal    // of this machine's own messages
	texts   *phonedTexts
}

var _ api.Machine = (*remote)(nil)

func (l *Lead) remote(host string, machine api.Machine) *remote {
	return &remote{
		machine: machine, own: l.node.Local(), host: host, mask: l.node.Mask, audit: l.node.Audit, rules: l.node.Rules(),
		journal: l.node.Walky,
		texts:   &phonedTexts{book: l.node.Phoned, host: host, agent: func(pane string) bool { return l.herd.isAgent(host, pane) }, drafts: map[string]string{}},
	}
}

func (m *remote) Snapshot(ctx context.Context) (api.Snapshot, error) {
	snapshot, err := m.machine.Snapshot(ctx)
	if err != nil {
		return api.Snapshot{}, on(m.host, err)
	}
	return m.clean(snapshot), nil
}

func (m *remote) Events(ctx context.Context, send func(api.Event) error) error {
	err := m.machine.Events(ctx, func(event api.Event) error {
		switch {
		case event.Snapshot != nil:
			snapshot := m.clean(*event.Snapshot)
			event.Snapshot = &snapshot
		case event.Change != nil:
			said := api.Snapshot{Workspaces: event.Change.Workspaces, Tabs: event.Change.Tabs, Panes: event.Change.Panes}
			if event.Change.Trouble != nil {
				said.Trouble = *event.Change.Trouble
			}
			part := m.clean(said)
			change := &api.Change{At: event.Change.At, Workspaces: part.Workspaces, Tabs: part.Tabs, Panes: part.Panes}
			if event.Change.Trouble != nil {
				change.Trouble = &part.Trouble
			}
			event.Change = change
		case event.Gone != nil:
			event.Gone = &api.Gone{
				At:         event.Gone.At,
				Workspaces: m.stamp(event.Gone.Workspaces), Tabs: m.stamp(event.Gone.Tabs), Panes: m.stamp(event.Gone.Panes),
			}
		}
		return send(event)
	})
	return on(m.host, err)
}

func (m *remote) Pane(ctx context.Context, id string) (api.Pane, error) {
	got, err := ofPane(m, id, func() (api.Pane, error) { return m.machine.Pane(ctx, id) })
	if err != nil {
		return api.Pane{}, err
	}
	frame, err := m.masked(mirror.New(m.mask, nil), got.Frame)
	if err != nil {
		return api.Pane{}, on(m.host, err)
	}
	frame.Seq = got.Seq
	return api.Pane{ID: id, Host: m.host, Frame: frame}, nil
}

func (m *remote) History(ctx context.Context, id string, from, count int) (api.History, error) {
	history, err := ofPane(m, id, func() (api.History, error) { return m.machine.History(ctx, id, from, count) })
	if err != nil {
		return api.History{}, err
	}
	if err := history.Check(count); err != nil {
		return api.History{}, on(m.host, err)
	}
	mirror.Hide(m.mask, &history.Above, &history.Rows, &history.Below)
	history.Above, history.Below = nil, nil
	return history, nil
}

func (m *remote) Reply(ctx context.Context, id string, reply api.Reply) (replied api.Replied, err error) {
	err = m.forward(ctx, "pane.reply", id, m.said(reply.Text), func() (err error) {
		withdraw := func() {}
		if !reply.Discard {
			withdraw = m.texts.noting(ctx, id, reply.Text)
		}
		if replied, err = m.machine.Reply(ctx, id, reply); nothingTyped(err) {
			withdraw()
		}
		m.texts.replied(id, reply, replied, err)
		return err
	})
	return replied, err
}

func (m *remote) Keys(ctx context.Context, id string, keys api.Keys) error {
	return m.forward(ctx, "pane.keys", id, audit.Typed(keys.Keys), func() error {
		m.texts.stands(id, "", false)
		return m.machine.Keys(ctx, id, keys)
	})
}

func (m *remote) Rename(ctx context.Context, id string, rename api.Rename) error {
	return m.forward(ctx, "pane.rename", id, audit.Text(rename.Label), func() error { return m.machine.Rename(ctx, id, rename) })
}

func (m *remote) Resize(ctx context.Context, id string, size api.Resize) error {
	return m.forward(ctx, "pane.resize", id, audit.What{}, func() error { return m.machine.Resize(ctx, id, size) })
}

func (m *remote) Close(ctx context.Context, id string) error {
	return m.forward(ctx, "pane.close", id, audit.What{}, func() error { return m.machine.Close(ctx, id) })
}

func (m *remote) RenameTab(ctx context.Context, id string, r api.Rename) error {
	return m.forward(ctx, "tab.rename", id, audit.Text(r.Label), func() error { return m.machine.RenameTab(ctx, id, r) })
}

func (m *remote) RenameWorkspace(ctx context.Context, id string, r api.Rename) error {
	return m.forward(ctx, "workspace.rename", id, audit.Text(r.Label), func() error { return m.machine.RenameWorkspace(ctx, id, r) })
}

// forward passes on a write to a pane.
func (m *remote) forward(ctx context.Context, action, id string, what audit.What, do func() error) error {
	if !validID(id) {
		return api.ErrPaneNotFound.On(m.host)
	}
	return m.pass(ctx, audit.Entry{Action: action, Pane: id, What: what}, do)
}

// pass hands a write on. The forward is in this machine's audit log before it
// leaves, and on the disk before anybody hears that it arrived; the member
// writes its own line.
func (m *remote) pass(ctx context.Context, entry audit.Entry, do func() error) error {
	entry.Device, entry.Host, entry.Via, entry.Outcome = api.Device(ctx), m.host, node.Via(ctx), "forwarded"
	sync, err := m.audit.Add(entry)
	if err != nil {
		return errors.Join(api.ErrAuditUnavailable, err)
	}
	err = on(m.host, do())
	if err == nil {
		if err = sync(); err != nil {
			err = errors.Join(api.ErrOutcomeUnknown.On(m.host), err)
		}
		return err
	}
	entry.What, entry.Outcome = audit.What{}, api.AsError(err).Code
	return errors.Join(err, m.audit.Write(entry)) // the refusal is what the phone hears
}

func (m *remote) Walky(ctx context.Context, pane string) (api.Walky, error) {
	if pane != "" && !validID(pane) {
		return api.Walky{}, api.ErrPaneNotFound.On(m.host)
	}
	messages, err := m.machine.Walky(ctx, pane)
	if err != nil {
		return api.Walky{}, on(m.host, err)
	}
	return m.cleanWalky(messages), nil
}

// WalkySend has this machine send a phone's message, because the phone is
// paired here and the lead vouches for it; a member has no such route. An
// address without a machine is one of the machine that the phone named, never
// one of this machine.
func (m *remote) WalkySend(ctx context.Context, message api.WalkySend) (api.WalkySent, error) {
	to, err := walky.ParseAddress(message.To)
	if err != nil {
		return api.WalkySent{}, api.ErrWalkyRefused.With(err.Error())
	}
	if to.Machine == "" {
		to.Machine = m.host
	}
	message.To = to.String()
	return m.own.WalkySend(ctx, message)
}

// ofPane asks the member about one of its panes, whose id has to be one.
func ofPane[T any](m *remote, id string, ask func() (T, error)) (said T, err error) {
	if !validID(id) {
		return said, api.ErrPaneNotFound.On(m.host)
	}
	said, err = ask()
	return said, on(m.host, err)
}

// on names the machine in a refusal. A refusal of the caller's own, such as a
// phone that went away, stays as it is.
func on(host string, err error) error {
	if err == nil {
		return nil
	}
	if refused := api.AsError(err); refused != api.ErrInternal {
		return refused.On(host)
	}
	return err
}
