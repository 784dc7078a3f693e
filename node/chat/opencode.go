package chat

import (
	"encoding/json"
	"strings"
	"time"
)

// What OpenCode keeps of a session: a row for each message, and rows for its
// parts. Each has one JSON object.

type opencodeMessage struct {
	Role    string          `json:"role"`
	Summary json.RawMessage `json:"summary"` // true where the agent summed up what went before
}

type opencodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"` // the program said it in the person's name
	Ignored   bool   `json:"ignored"`
	Tool      string `json:"tool"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
	} `json:"state"`
	Mime string `json:"mime"`
	URL  string `json:"url"`
}

// opencodeTurn begins the turn of a message. It reports whether the message could
// be read; there is no turn for what the program keeps for itself.
func opencodeTurn(id string, at time.Time, data []byte) (turn *Turn, ok bool) {
	var m opencodeMessage
	if json.Unmarshal(data, &m) != nil {
		return nil, false
	}
	turn = &Turn{ID: id, At: at}
	switch m.Role {
	case "user":
		turn.Who = Person
	case "assistant":
		turn.Who = Agent
	default:
		return nil, true
	}
	if string(m.Summary) == "true" {
		return nil, true
	}
	return turn, true
}

// opencodePartOf adds a part to a turn that is in turns, and reports whether it
// could be read.
func opencodePartOf(data []byte, t *turns, turn *Turn) bool {
	var p opencodePart
	if json.Unmarshal(data, &p) != nil {
		return false
	}
	switch p.Type {
	case "text":
		if !p.Synthetic && !p.Ignored {
			t.say(turn, strings.TrimSpace(p.Text))
		}
	case "tool":
		tool, result := Tool{Name: p.Tool, Subject: Subject(p.State.Input)}, p.State.Output
		switch p.State.Status {
		case "completed":
			tool.State = Done
		case "error":
			tool.State, result = Failed, p.State.Error
		}
		n := len(turn.Tools)
		if t.call(turn, tool); len(turn.Tools) > n {
			t.ended(turn, result)
		}
	case "file":
		if strings.HasPrefix(p.Mime, "image/") {
			if image, ok := imageOf(p.URL); ok {
				t.show(turn, image, 0)
			}
		}
	}
	return true
}
