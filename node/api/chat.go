package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"collie/node/markdown"
	"collie/node/mask"
)

// A Chat is a piece of what a person and an agent said, the newest turn first.
type Chat struct {
	// Session names the session; another one has other turns.
	Session string     `json:"session"`
	Turns   []ChatTurn `json:"turns"`
	More    bool       `json:"more"`    // there are older ones, before the last
	Skipped int        `json:"skipped"` // lines of the log that could not be read
	Cut     bool       `json:"cut"`     // the beginning of the log is left out
	Masked  bool       `json:"masked"`
}

// A ChatTurn is what one side said, and what an agent did meanwhile. On the link
// it has its Text as it was written; the phone gets the tree that this makes, so
// that the lead masks a whole text and not its pieces.
type ChatTurn struct {
	ID     string          `json:"id"`
	At     int64           `json:"at"`
	Who    string          `json:"who"` // person, agent
	Text   string          `json:"text,omitempty" mask:"chat"`
	Body   []markdown.Node `json:"body,omitempty" mask:"chat"`
	Tools  []ChatTool      `json:"tools,omitempty"`
	Images []string        `json:"images,omitempty"`
	Cut    bool            `json:"cut,omitempty"` // something in it was too long
	// Trust and Mark say through which door the words came, when the machine typed
	// them and not a person.
	Trust string `json:"trust,omitempty"`
	Mark  string `json:"mark,omitempty"`
}

// A ChatTool is one call of a tool.
type ChatTool struct {
	Name    string `json:"name"`
	Subject string `json:"subject" mask:"chat"`
	Result  string `json:"result,omitempty" mask:"chat"`
	State   string `json:"state"` // running, done, failed
	Cut     bool   `json:"cut,omitempty"`
}

// Check refuses an answer that no honest machine gives to a question for count
// turns.
func (c *Chat) Check(count int) error {
	if len(c.Turns) > count || c.Skipped < 0 {
		return ErrHostAnswer
	}
	for _, turn := range c.Turns {
		if len(turn.Text) > MaxChatTextBytes || len(turn.Tools) > MaxChatTools || len(turn.Images) > MaxChatImages {
			return ErrHostAnswer
		}
	}
	return nil
}

// Hide masks a chat, also where Markdown would show what its source does not.
func (c *Chat) Hide(m *mask.Mask) {
	if m == nil {
		return
	}
	c.Turns = slices.Clone(c.Turns)
	for i := range c.Turns {
		turn := &c.Turns[i]
		if turn.Who != "agent" {
			continue
		}
		hidden, found := markdown.Hide(turn.Text, func(text string) (string, bool) { return m.Text(text, mask.Options{Surface: "chat"}) })
		turn.Text, c.Masked = hidden, c.Masked || found
	}
	hidden, found := mask.Answer(m, *c)
	*c = hidden
	c.Masked = c.Masked || found
}

func (h *Handlers) chat(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	count, ok := number(r, "count", defaultChatTurns)
	before := r.URL.Query().Get("before")
	if !ok || count < 1 || count > MaxChatTurns || len(before) > MaxNameBytes {
		WriteError(w, ErrBadRequest.With("count is a whole number of at most "+strconv.Itoa(MaxChatTurns)))
		return
	}
	read(h, w, r, func(ctx context.Context, m Machine) (Chat, error) {
		chat, err := m.Chat(ctx, p.ByName("id"), before, count)
		if chat.Turns == nil {
			chat.Turns = []ChatTurn{}
		}
		if !h.Link {
			chat.draw()
		}
		return chat, err
	})
}

// draw makes the trees that a phone shows in the place of texts.
func (c *Chat) draw() {
	c.Turns = slices.Clone(c.Turns) // they are the machine's
	for i := range c.Turns {
		turn := &c.Turns[i]
		if turn.Who == "agent" {
			turn.Body = markdown.Parse(turn.Text)
		} else {
			turn.Body = markdown.Plain(turn.Text)
		}
		turn.Text = ""
	}
}

// Chat asks for turns before one of them, or for the newest.
func (c *Client) Chat(ctx context.Context, id, before string, count int) (Chat, error) {
	query := url.Values{"count": {strconv.Itoa(count)}}
	if before != "" {
		query.Set("before", before)
	}
	chat, err := get[Chat](ctx, c, panePath(id, "/chat"), query, maxChatValues)
	if err != nil {
		return Chat{}, err
	}
	if err := chat.Check(count); err != nil {
		return Chat{}, err
	}
	for i := range chat.Turns {
		chat.Turns[i].Body = nil // a tree is made here, of what is masked here
	}
	return chat, nil
}
