package lead

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"collie/node"
	"collie/node/api"
	"collie/node/phoned"
	"collie/node/trust"
)

// phonedTexts are what phones had a member type. In its chats this machine answers
// for its own devices alone, and so notes itself what it handed on.
type phonedTexts struct {
	book  *phoned.Book
	host  string
	agent func(pane string) bool // as far as the member says: nothing is noted of a shell

	mu     sync.Mutex        // guards drafts
	drafts map[string]string // by pane: what was typed there and not submitted
}

// noting notes a text that goes into a pane of the member, alone and behind what was
// typed there before: what its input holds the member alone knows. withdraw is for one
// that was not typed.
func (p *phonedTexts) noting(ctx context.Context, pane, text string) (withdraw func()) {
	withdraw = func() {}
	device := api.Device(ctx)
	if p == nil || device == "" || !p.agent(pane) {
		return withdraw
	}
	place := p.host + "\x00" + pane
	switch draft := p.draft(pane); {
	case text == "":
		p.book.Renew(place, device, draft) // which stands there, also when this is refused
	default:
		withdraw = p.book.Note(place, device, text)
		if draft != "" {
			alone, behind := withdraw, p.book.Note(place, device, draft+text)
			withdraw = func() { alone(); behind() }
		}
	}
	return withdraw
}

func (p *phonedTexts) draft(pane string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.drafts[pane]
}

// stands takes over that a text stands in the input of a pane, or that nobody knows
// what does.
func (p *phonedTexts) stands(pane, text string, known bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	draft := p.drafts[pane] + text
	delete(p.drafts, pane)
	if known && len(draft) <= api.MaxReplyBytes {
		if len(p.drafts) >= maxDrafts {
			clear(p.drafts)
		}
		p.drafts[pane] = draft
	}
}

// replied takes over what became of a reply. One of which nothing was typed leaves the
// input as it was.
func (p *phonedTexts) replied(pane string, reply api.Reply, replied api.Replied, err error) {
	if nothingTyped(err) && !reply.Discard { // which may have erased a part
		return
	}
	typed := err == nil && replied.TextDelivered && !replied.Submitted
	p.stands(pane, reply.Text, !reply.Discard && (typed || err != nil && api.AsError(err).Code == api.ErrNotSubmitted.Code))
}

// nothingTyped reports whether an error is a refusal after which nothing of a text is in
// the pane. A program that has ended may have got it before.
func nothingTyped(err error) bool {
	var refusal *api.Error
	return errors.As(err, &refusal) && !slices.ContainsFunc([]*api.Error{
		api.ErrNotSubmitted, api.ErrPartlySent, api.ErrOutcomeUnknown, api.ErrPaneGone, api.ErrHostFailed, api.ErrHostAnswer, api.ErrInternal,
	}, func(may *api.Error) bool { return errors.Is(err, may) })
}

// uploaded notes the path that the member typed for an upload.
func (p *phonedTexts) uploaded(ctx context.Context, pane string, kept api.Uploaded) {
	if kept.Pasted {
		path := node.PastedPath(kept.Path)
		p.noting(ctx, pane, path)
		p.stands(pane, path, true)
	}
}

// mark gives the turns of a chat, the newest first, the marks of the phones whose
// texts they are.
func (p *phonedTexts) mark(pane string, chat api.Chat) {
	if p == nil {
		return
	}
	var turns []phoned.Turn
	var of []int
	for i, turn := range slices.Backward(chat.Turns) {
		if turn.Who == "person" {
			at := time.Time{}
			if turn.At > 0 {
				at = time.UnixMilli(turn.At)
			}
			turns, of = append(turns, phoned.Turn{Session: p.host + "\x00" + chat.Session, ID: turn.ID, Text: turn.Text, At: at}), append(of, i)
		}
	}
	for i, device := range p.book.Devices(p.host+"\x00"+pane, turns) {
		if device != "" {
			turn := &chat.Turns[of[i]]
			turn.Trust, turn.Mark = trust.Operator.String(), trust.PhoneMark(device).String()
		}
	}
}

// isAgent reports whether a pane of a member is an agent's, as the member says.
func (h *herd) isAgent(host, pane string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.followers[host]
	return f != nil && slices.ContainsFunc(f.snapshot.Panes, func(p api.PaneInfo) bool {
		return p.ID == pane && p.Harness != "" && p.Harness != "shell"
	})
}
