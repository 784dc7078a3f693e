package node

import (
	"context"
	"errors"

	"collie/node/api"
	"collie/node/chat"
	"collie/node/pane"
	"collie/node/trust"
)

// Chat returns what was said in a pane, from the log that its agent's program
// writes. Which log that is, the pane's process says.
func (l *Local) Chat(ctx context.Context, id, before string, count int) (api.Chat, error) {
	n := l.node
	info, err := n.Panes.Get(pane.ID(id))
	if err != nil {
		return api.Chat{}, paneError(err)
	}
	process, ok := n.agent(info)
	if !ok {
		return api.Chat{}, api.ErrNoChat
	}
	source, err := chat.Find(process, n.sessions.of(info.ID, process.PID))
	if err != nil {
		return api.Chat{}, chatError(err)
	}
	page, err := n.chats.Page(ctx, source, before, count)
	if err != nil {
		return api.Chat{}, chatError(err)
	}
	answer := api.Chat{Session: source.Harness + " " + source.Session, Turns: make([]api.ChatTurn, len(page.Turns)), More: page.More, Skipped: page.Skipped, Cut: page.Cut}
	typed := n.Walky.Typed(id)
	for i, turn := range page.Turns {
		answer.Turns[i] = chatTurn(turn)
		if turn.Who != chat.Person {
			continue
		}
		if level, mark, ok := typed.Find(turn.Text, turn.At); ok {
			answer.Turns[i].Trust, answer.Turns[i].Mark = level.String(), mark.String()
		}
	}
	n.markPhones(info, answer.Session, page.Turns, answer.Turns)
	answer.Hide(n.Mask)
	return answer, nil
}

// chatTurn cleans a turn: an agent prints what it likes.
func chatTurn(turn chat.Turn) api.ChatTurn {
	clean := func(text string, most int) string { return trust.NeutralizeMarks(trust.CleanText(text, most)) }
	shown := api.ChatTurn{ID: turn.ID, Who: string(turn.Who), Text: clean(turn.Text, chat.MaxTextBytes), Cut: turn.Cut}
	if !turn.At.IsZero() {
		shown.At = turn.At.UnixMilli()
	}
	for _, tool := range turn.Tools {
		shown.Tools = append(shown.Tools, api.ChatTool{
			Name: trust.Clean(tool.Name, chat.MaxNameBytes), Subject: clean(tool.Subject, chat.MaxSubjectBytes), Result: clean(tool.Result, chat.MaxResultBytes),
			State: string(tool.State), Cut: tool.Cut,
		})
	}
	for _, image := range turn.Images {
		shown.Images = append(shown.Images, image.Hash)
	}
	return shown
}

// chatError gives a search without an end its stable code.
func chatError(err error) error {
	switch {
	case errors.Is(err, chat.ErrNone):
		return api.ErrNoChat
	case errors.Is(err, chat.ErrUnclear):
		return api.ErrChatUnclear
	}
	return err
}

// Blob returns a picture of a chat that was read.
func (l *Local) Blob(ctx context.Context, hash string) (api.Blob, error) {
	data, err := l.node.chats.Image(ctx, hash)
	if errors.Is(err, chat.ErrNoImage) {
		return api.Blob{}, api.ErrNoBlob
	}
	return api.Blob{Data: data}, err
}
