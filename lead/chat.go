package lead

import (
	"context"

	"collie/node/api"
	"collie/node/trust"
)

// Chat is a member's, masked a second time. What the member says of a turn is
// text like any other: whatever it calls itself, a turn is a person's or an
// agent's, and a tool's state is one of ours.
func (m *remote) Chat(ctx context.Context, id, before string, count int) (api.Chat, error) {
	chat, err := ofPane(m, id, func() (api.Chat, error) { return m.machine.Chat(ctx, id, before, count) })
	if err == nil {
		err = chat.Check(count)
	}
	if err != nil {
		return api.Chat{}, on(m.host, err)
	}
	clean := func(text *string, most int) { *text = trust.NeutralizeMarks(trust.CleanText(*text, most)) }
	for i := range chat.Turns {
		turn := &chat.Turns[i]
		turn.Body = nil
		if turn.Who != "person" {
			turn.Who = "agent"
		}
		clean(&turn.Text, api.MaxChatTextBytes)
		m.cleanTyped(turn)
		for j := range turn.Tools {
			tool := &turn.Tools[j]
			tool.Name = trust.Clean(tool.Name, api.MaxNameBytes)
			clean(&tool.Subject, api.MaxChatTextBytes)
			clean(&tool.Result, api.MaxChatTextBytes)
			if tool.State != "done" && tool.State != "failed" {
				tool.State = "running"
			}
		}
	}
	chat.Hide(m.mask)
	m.texts.mark(id, chat)
	return chat, nil
}

// Blob is a picture of a member's chat. What a picture shows no mask can read; it
// is the one that its name says, and a picture.
func (m *remote) Blob(ctx context.Context, hash string) (api.Blob, error) {
	if !api.ValidBlobHash(hash) {
		return api.Blob{}, api.ErrNoBlob.On(m.host)
	}
	blob, err := m.machine.Blob(ctx, hash)
	if err == nil {
		err = blob.Check(hash)
	}
	if err != nil {
		return api.Blob{}, on(m.host, err)
	}
	return blob, nil
}
