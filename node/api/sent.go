package api

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

// A SentBook is a machine's list of the lines that were sent to its shells.
type SentBook interface {
	Sent(ctx context.Context) (Sent, error)
	SentForget(ctx context.Context, forget SentForget) (SentGone, error)
	SentClear(ctx context.Context) (SentGone, error)
}

// Sent is what GET sent answers: the lines, newest first, and whether further
// ones are kept.
type Sent struct {
	Lines   []SentLine `json:"lines"`
	Keeping bool       `json:"keeping"`
}

// A SentLine is one line that was sent to a shell.
type SentLine struct {
	ID     string `json:"id"`
	At     int64  `json:"at"`
	Pane   string `json:"pane"`
	Line   string `json:"line" mask:"sent"`
	Masked bool   `json:"masked"`
}

// SentForget names the line to forget.
type SentForget struct {
	ID string `json:"id"`
}

// SentGone says how many lines were forgotten.
type SentGone struct {
	Count int `json:"count"`
}

func (h *Handlers) sentRoutes() []Route {
	return []Route{
		{http.MethodGet, "/sent", h.sent},
		{http.MethodPost, "/sent/forget", h.sentForget},
		{http.MethodPost, "/sent/clear", h.sentClear},
	}
}

func (h *Handlers) sent(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Sent, error) { return m.Sent(ctx) })
}

func (h *Handlers) sentForget(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body SentForget) (SentGone, error) {
		return m.SentForget(ctx, body)
	})
}

func (h *Handlers) sentClear(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, _ struct{}) (SentGone, error) { return m.SentClear(ctx) })
}

// Sent asks for the lines of that machine.
func (c *Client) Sent(ctx context.Context) (Sent, error) {
	sent, err := get[Sent](ctx, c, "/sent", nil, 8*MaxSentLines)
	if err == nil && len(sent.Lines) > MaxSentLines {
		return Sent{}, ErrHostAnswer
	}
	return sent, err
}

// SentForget has that machine forget a line.
func (c *Client) SentForget(ctx context.Context, forget SentForget) (SentGone, error) {
	return post[SentGone](ctx, c, "/sent/forget", forget)
}

// SentClear has that machine forget every line.
func (c *Client) SentClear(ctx context.Context) (SentGone, error) {
	return post[SentGone](ctx, c, "/sent/clear", struct{}{})
}
