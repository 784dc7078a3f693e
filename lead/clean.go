package lead

import (
	"collie/node/api"
	"collie/node/grid"
	"collie/node/mask"
	"collie/node/pane"
	"collie/node/trust"
)

// clean makes a member's objects fit to be merged with the others'. An id that
// the mask changes is none any more, and its object goes.
func (m *remote) clean(s api.Snapshot) api.Snapshot {
	s, _ = mask.Answer(m.mask, s)
	var masked bool
	m.name(&s.Trouble, api.MaxNameBytes, &masked)
	return api.Snapshot{
		At: s.At, Trouble: s.Trouble,
		Workspaces: fit(s.Workspaces, func(w *api.Workspace) (id string, ok bool) {
			var masked bool
			w.Host = m.host
			m.name(&w.Label, api.MaxNameBytes, &masked)
			m.name(&w.Cwd, api.MaxPathBytes, &masked)
			return w.ID, true
		}),
		Tabs: fit(s.Tabs, func(t *api.Tab) (id string, ok bool) {
			var masked bool
			t.Host = m.host
			m.name(&t.Label, api.MaxNameBytes, &masked)
			return t.ID, validID(t.Workspace)
		}),
		Panes: fit(s.Panes, func(p *api.PaneInfo) (id string, ok bool) {
			m.cleanPane(p)
			return p.ID, validID(p.Tab) && validID(p.Workspace)
		}),
	}
}

func (m *remote) cleanPane(p *api.PaneInfo) {
	p.Host = m.host
	p.Cols, p.Rows = min(max(p.Cols, 0), grid.MaxCols), min(max(p.Rows, 0), grid.MaxRows)
	m.line(&p.Title, "title", api.MaxNameBytes, &p.Masked)
	for _, text := range []*string{&p.Label, &p.Harness, &p.Command, &p.Status, &p.Why, &p.Source, &p.Program, &p.Token} {
		m.name(text, api.MaxNameBytes, &p.Masked)
	}
	p.WhyTrust, p.WhyMark = hookMark(p.WhyMark != "", p.WhyMark, p.Harness)
	cards := make([]api.Card, min(len(p.Cards), maxCards))
	copy(cards, p.Cards)
	for i := range cards {
		for _, text := range []*string{&cards[i].Kind, &cards[i].ID, &cards[i].From} {
			m.name(text, api.MaxNameBytes, &p.Masked)
		}
		cards[i].Prompt = m.cleanPrompt(cards[i].Prompt, &p.Masked)
		cleanHeld(&cards[i], p.Harness)
	}
	p.Cards = cards
}

// fit returns a copy of objects in which clean was called on each, without those
// that it does not want, whose id breaks the grammar, or whose id came before.
// It has as many as one machine may show.
func fit[T any](objects []T, clean func(*T) (id string, ok bool)) []T {
	kept := make([]T, 0, min(len(objects), api.MaxPanes))
	seen := map[string]bool{}
	for _, object := range objects[:min(len(objects), 2*api.MaxPanes)] {
		if len(kept) == api.MaxPanes {
			break
		}
		id, ok := clean(&object)
		if !ok || !validID(id) || seen[id] {
			continue
		}
		seen[id] = true
		kept = append(kept, object)
	}
	return kept
}

// stamp makes references to a member's objects ones of that member.
func (m *remote) stamp(refs []api.Ref) []api.Ref {
	refs, _ = mask.Answer(m.mask, refs)
	return fit(refs, func(ref *api.Ref) (id string, ok bool) {
		ref.Host = m.host
		return ref.ID, true
	})
}

// cleanWalky masks the messages of a member's journal; see cleanMark for what
// they are worth.
func (m *remote) cleanWalky(w api.Walky) api.Walky {
	clean := api.Walky{Messages: make([]api.WalkyMessage, min(len(w.Messages), api.MaxWalkyMessages))}
	copy(clean.Messages, w.Messages)
	for i := range clean.Messages {
		message := &clean.Messages[i]
		m.cleanMark(message)
		for _, text := range []*string{
			&message.ID, &message.Direction, &message.From, &message.FromLabel, &message.To, &message.State,
			&message.Reason, &message.Mark, &message.ReplyTo,
		} {
			m.name(text, api.MaxNameBytes, &message.Masked)
		}
		message.FromLabel = trust.NeutralizeMarks(message.FromLabel)
		message.Body = trust.NeutralizeMarks(trust.CleanText(message.Body, trust.MaxContentBytes))
		m.text(&message.Body, "walky", &message.Masked)
	}
	return clean
}

// name is line for what is not a title.
func (m *remote) name(text *string, most int, masked *bool) { m.line(text, "file", most, masked) }

// line makes a short text of a member one line without characters that hide
// others, masks it, and cuts it to most bytes. It is cut last: a mask does not
// know half a secret.
func (m *remote) line(text *string, surface string, most int, masked *bool) {
	*text = trust.Clean(*text, maxRawBytes)
	m.text(text, surface, masked)
	*text = trust.Clean(*text, most)
}

func (m *remote) text(text *string, surface string, masked *bool) {
	if m.mask == nil || *text == "" {
		return
	}
	hidden, found := m.mask.Text(*text, mask.Options{Surface: surface})
	*text = hidden
	*masked = *masked || found
}

func validID(id string) bool {
	_, err := pane.ParseID(id)
	return err == nil
}
