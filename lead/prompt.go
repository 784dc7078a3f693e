package lead

import (
	"context"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/trust"
)

// cleanPrompt makes a question of a member's program fit to be shown. It is a
// copy: what the member sent stays as it is.
func (m *remote) cleanPrompt(p *api.Prompt, masked *bool) *api.Prompt {
	if p == nil {
		return nil
	}
	clean := *p
	m.name(&clean.Question, api.MaxSubjectBytes, masked)
	clean.Subject = trust.CleanText(clean.Subject, maxRawBytes)
	m.text(&clean.Subject, "pane", masked)
	clean.Subject = trust.CleanText(clean.Subject, api.MaxSubjectBytes)
	clean.Options = make([]api.PromptOption, min(len(p.Options), api.MaxOptions))
	copy(clean.Options, p.Options)
	for i := range clean.Options {
		o := &clean.Options[i]
		for _, text := range []*string{&o.ID, &o.Label, &o.Detail} {
			m.name(text, api.MaxSubjectBytes, masked)
		}
	}
	return &clean
}

// Answer hands a tap on a card on.
func (m *remote) Answer(ctx context.Context, id string, answer api.Answer) error {
	what := audit.ID(answer.Option)
	if answer.Text != "" {
		what = m.said(answer.Text)
	}
	return m.forward(ctx, "pane.answer", id, what, func() error { return m.machine.Answer(ctx, id, answer) })
}
