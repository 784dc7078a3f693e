package lead

import (
	"context"
	"strings"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/mask"
	"collie/node/trust"
)

// said is how a forwarded line is written down. What runs in a member's pane is
// the member's word, and so is whether it asks for a password there: so the lead has
// marks, and the member's own log the text. Of a line that a shell's list would not
// keep nothing is left here, whatever it was sent to.
func (m *remote) said(text string) audit.What {
	if !m.rules.Keeps(text) {
		return audit.What{}
	}
	return audit.Marks(text)
}

func (m *remote) Sent(ctx context.Context) (api.Sent, error) {
	said, err := m.machine.Sent(ctx)
	if err != nil {
		return api.Sent{}, on(m.host, err)
	}
	clean := api.Sent{Lines: make([]api.SentLine, 0, min(len(said.Lines), api.MaxSentLines)), Keeping: said.Keeping}
	for _, line := range said.Lines[:min(len(said.Lines), api.MaxSentLines)] {
		line.Line = trust.CleanText(line.Line, maxRawBytes)
		line, _ = mask.Answer(m.mask, line)
		if validID(line.ID) && validID(line.Pane) && strings.TrimSpace(line.Line) != "" {
			clean.Lines = append(clean.Lines, line)
		}
	}
	return clean, nil
}

func (m *remote) SentForget(ctx context.Context, forget api.SentForget) (gone api.SentGone, err error) {
	err = m.pass(ctx, audit.Entry{Action: "sent.forget"}, func() (err error) {
		gone, err = m.machine.SentForget(ctx, forget)
		return err
	})
	return gone, err
}

func (m *remote) SentClear(ctx context.Context) (gone api.SentGone, err error) {
	err = m.pass(ctx, audit.Entry{Action: "sent.clear"}, func() (err error) {
		gone, err = m.machine.SentClear(ctx)
		return err
	})
	return gone, err
}
