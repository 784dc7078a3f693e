package api

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

// A Prompt is a question that a pane's program asks, as buttons.
type Prompt struct {
	Question string         `json:"question"`
	Subject  string         `json:"subject"` // the command, the file, the change
	Cut      bool           `json:"cut"`     // the subject begins above what could be read
	Options  []PromptOption `json:"options"`
}

// A PromptOption is one of its answers.
type PromptOption struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"`
	Always bool   `json:"always"` // it answers for the future too, and needs a confirmation
	Deny   bool   `json:"deny"`
	// Ticked says of one that may be chosen with others whether it is; a tap
	// changes that. It is absent where an answer ends the question.
	Ticked *bool `json:"ticked,omitempty"`
	// Own says that the answer is a text of the person's own.
	Own bool `json:"own,omitempty"`
}

// Answer is a tap on an option of a card.
type Answer struct {
	Card   string `json:"card"`
	Option string `json:"option"`
	Screen string `json:"screen"` // of what the person saw; empty compares the card alone
	// Text is the answer where the option takes one: one line.
	Text string `json:"text,omitempty"`
	// Confirm says that the person was asked a second time.
	Confirm bool `json:"confirm,omitempty"`
}

// A PromptMachine answers the questions of programs.
type PromptMachine interface {
	// Answer presses the keys of one option, while the card is what the screen
	// asks. It returns once the question has left the screen, or shows the tick.
	Answer(ctx context.Context, id string, answer Answer) error
}

func (h *Handlers) promptRoutes() []Route {
	return []Route{{http.MethodPost, "/pane/:id/answer", h.answer}}
}

func (h *Handlers) answer(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Answer) (Done, error) {
		return Done{true}, m.Answer(ctx, p.ByName("id"), body)
	})
}

// Answer answers a question on the other machine.
func (c *Client) Answer(ctx context.Context, id string, answer Answer) error {
	_, err := post[Done](ctx, c, panePath(id, "/answer"), answer)
	return err
}
