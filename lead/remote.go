package lead

import (
	"context"
	"errors"
	"strings"

	"collie/node"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/grid"
	"collie/node/mask"
	"collie/node/mirror"
	"collie/node/pane"
)

// remote is a member's machine as a phone may see it: what the member said,
// parsed, with its host stamped from the link, and masked a second time by the
// lead. Objects whose ids break the grammar are dropped, and no more than
// api.MaxPanes panes are listed.
type remote struct {
	api.Machine // at the other end of the link
	host        string
	mask        *mask.Mask // nil when the lead does not mask
	audit       *audit.Log
}

func (m *remote) Snapshot(ctx context.Context) (api.Snapshot, error) {
	snapshot, err := m.Machine.Snapshot(ctx)
	if err != nil {
		return api.Snapshot{}, on(m.host, err)
	}
	return m.clean(snapshot), nil
}

func (m *remote) Events(ctx context.Context, send func(api.Event) error) error {
	err := m.Machine.Events(ctx, func(event api.Event) error {
		switch {
		case event.Snapshot != nil:
			snapshot := m.clean(*event.Snapshot)
			event.Snapshot = &snapshot
		case event.Change != nil:
			part := m.clean(api.Snapshot{Workspaces: event.Change.Workspaces, Tabs: event.Change.Tabs, Panes: event.Change.Panes})
			event.Change = &api.Change{At: event.Change.At, Workspaces: part.Workspaces, Tabs: part.Tabs, Panes: part.Panes}
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
	got, err := m.Machine.Pane(ctx, id)
	if err != nil {
		return api.Pane{}, on(m.host, err)
	}
	got.Frame, err = mirror.New(m.mask, nil).Apply(got.Frame)
	if err != nil {
		return api.Pane{}, api.ErrHostAnswer.On(m.host)
	}
	got.ID, got.Host, got.Above = id, m.host, nil
	return got, nil
}

func (m *remote) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	screen := mirror.New(m.mask, nil)
	return on(m.host, m.Machine.Live(ctx, id, func(frame grid.Frame) error {
		frame, err := screen.Apply(frame)
		if err != nil {
			return api.ErrHostAnswer
		}
		frame.Above = nil
		return send(frame)
	}))
}

func (m *remote) History(ctx context.Context, id string, from, count int) (api.History, error) {
	history, err := m.Machine.History(ctx, id, from, count)
	if err != nil {
		return api.History{}, on(m.host, err)
	}
	if err := grid.CheckRows(history.Rows); err != nil {
		return api.History{}, api.ErrHostAnswer.On(m.host)
	}
	if m.mask != nil {
		history.Rows, _ = m.mask.Rows(history.Rows, nil, nil)
	}
	return history, nil
}

func (m *remote) Reply(ctx context.Context, id string, reply api.Reply) (replied api.Replied, err error) {
	err = m.forward(ctx, "pane.reply", id, audit.Text(reply.Text), func() error {
		replied, err = m.Machine.Reply(ctx, id, reply)
		return err
	})
	return replied, err
}

func (m *remote) Keys(ctx context.Context, id string, keys api.Keys) error {
	return m.forward(ctx, "pane.keys", id, audit.Typed(keys.Keys), func() error { return m.Machine.Keys(ctx, id, keys) })
}

func (m *remote) Rename(ctx context.Context, id string, rename api.Rename) error {
	return m.forward(ctx, "pane.rename", id, audit.Text(rename.Label), func() error { return m.Machine.Rename(ctx, id, rename) })
}

func (m *remote) Close(ctx context.Context, id string) error {
	return m.forward(ctx, "pane.close", id, audit.What{}, func() error { return m.Machine.Close(ctx, id) })
}

// forward hands a write on. The forward is in this machine's audit log before
// it leaves; the member writes its own line.
func (m *remote) forward(ctx context.Context, action, id string, what audit.What, do func() error) error {
	if !validID(id) {
		return api.ErrPaneNotFound.On(m.host)
	}
	entry := audit.Entry{Action: action, Pane: id, Device: api.Device(ctx), Host: m.host, Via: node.Via(ctx), What: what, Outcome: "forwarded"}
	if err := m.audit.Write(entry); err != nil {
		return api.ErrAuditUnavailable
	}
	err := on(m.host, do())
	if err == nil {
		return nil
	}
	entry.What, entry.Outcome = audit.What{}, api.AsError(err).Code
	return errors.Join(err, m.audit.Write(entry)) // the refusal is what the phone hears
}

func (m *remote) Walky(ctx context.Context, pane string) (api.Walky, error) {
	walky, err := m.Machine.Walky(ctx, pane)
	if err != nil {
		return api.Walky{}, on(m.host, err)
	}
	for i := range walky.Messages {
		message := &walky.Messages[i]
		for _, text := range []*string{&message.Body, &message.FromLabel, &message.Reason, &message.Mark} {
			m.text(text, "walky", &message.Masked)
		}
	}
	return walky, nil
}

// clean makes a member's objects fit to be merged with the others'.
func (m *remote) clean(s api.Snapshot) api.Snapshot {
	out := api.Snapshot{At: s.At}
	var masked bool
	for _, workspace := range s.Workspaces[:min(len(s.Workspaces), api.MaxPanes)] {
		if validID(workspace.ID) {
			workspace.Host = m.host
			m.name(&workspace.Label, &masked)
			m.name(&workspace.Cwd, &masked)
			out.Workspaces = append(out.Workspaces, workspace)
		}
	}
	for _, tab := range s.Tabs[:min(len(s.Tabs), api.MaxPanes)] {
		if validID(tab.ID) && validID(tab.Workspace) {
			tab.Host = m.host
			m.name(&tab.Label, &masked)
			out.Tabs = append(out.Tabs, tab)
		}
	}
	for _, p := range s.Panes[:min(len(s.Panes), api.MaxPanes)] {
		if !validID(p.ID) || !validID(p.Tab) || !validID(p.Workspace) {
			continue
		}
		p.Host = m.host
		m.name(&p.Title, &p.Masked)
		m.name(&p.Label, &p.Masked)
		m.name(&p.Harness, &p.Masked)
		m.name(&p.Status, &p.Masked)
		m.name(&p.Token, &p.Masked)
		p.Cards = p.Cards[:min(len(p.Cards), maxCards)]
		for i := range p.Cards {
			for _, field := range []*string{&p.Cards[i].Kind, &p.Cards[i].ID, &p.Cards[i].From} {
				m.name(field, &p.Masked)
			}
		}
		if p.Cards == nil {
			p.Cards = []api.Card{}
		}
		out.Panes = append(out.Panes, p)
	}
	return out
}

func (m *remote) stamp(refs []api.Ref) []api.Ref {
	out := make([]api.Ref, 0, min(len(refs), api.MaxPanes))
	for _, ref := range refs[:min(len(refs), api.MaxPanes)] {
		if validID(ref.ID) {
			out = append(out, api.Ref{ID: ref.ID, Host: m.host})
		}
	}
	return out
}

// name cuts and masks a short text of a member.
func (m *remote) name(text *string, masked *bool) {
	*text = cut(*text, api.MaxNameBytes)
	m.text(text, "title", masked)
}

func (m *remote) text(text *string, surface string, masked *bool) {
	if m.mask == nil {
		return
	}
	hidden, found := m.mask.Text(*text, mask.Options{Surface: surface})
	*text = hidden
	*masked = *masked || found
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

func validID(id string) bool {
	_, err := pane.ParseID(id)
	return err == nil
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
