package chat

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// codex reads Codex's logs: one JSON object a line in
// sessions/YEAR/MONTH/DAY/rollout-TIME-SESSION.jsonl of CODEX_HOME. What a person
// typed comes as an event, since the items of the model hold much that the
// program wrote for it; all else comes as items.
type codex struct {
	last string // what a person typed last: two kinds of event may tell it
	once bool   // it was told once
}

type codexLine struct {
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"`
	Payload   struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Role      string          `json:"role"`
		Message   json.RawMessage `json:"message"`
		Images    []string        `json:"images"`
		Content   json.RawMessage `json:"content"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Input     json.RawMessage `json:"input"`
		Action    json.RawMessage `json:"action"`
		CallID    string          `json:"call_id"`
		Output    json.RawMessage `json:"output"`
		NumTurns  int             `json:"num_turns"`
		Item      struct {
			Type    string       `json:"type"`
			ID      string       `json:"id"`
			Content []codexBlock `json:"content"`
		} `json:"item"`
	} `json:"payload"`
}

type codexBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

func (c *codex) line(data []byte, at int64, t *turns) bool {
	var line codexLine
	if json.Unmarshal(data, &line) != nil {
		return false
	}
	p := &line.Payload
	id := p.ID
	if id == "" {
		id = "@" + strconv.FormatInt(at, 10)
	}
	agent := func() *Turn { return t.at(id, Turn{Who: Agent, At: line.Timestamp}) }
	switch {
	case line.Type == "event_msg" && p.Type == "user_message":
		var text string
		if json.Unmarshal(p.Message, &text) != nil {
			return false
		}
		blocks := []codexBlock{{Text: text}}
		for _, url := range p.Images {
			blocks = append(blocks, codexBlock{ImageURL: url})
		}
		c.person(t, id, line.Timestamp, blocks, at)
	case line.Type == "event_msg" && p.Type == "item_completed" && p.Item.Type == "UserMessage":
		c.person(t, id, line.Timestamp, p.Item.Content, at)
	case line.Type == "event_msg" && p.Type == "thread_rolled_back":
		rollBack(t, p.NumTurns)
	case line.Type != "response_item":
	case p.Type == "message" && p.Role == "assistant":
		var blocks []codexBlock
		if json.Unmarshal(p.Content, &blocks) != nil {
			return false
		}
		if text := codexText(blocks); text != "" {
			t.say(agent(), text)
		}
		c.once = false
	case p.Type == "function_call":
		var arguments string
		_ = json.Unmarshal(p.Arguments, &arguments) // one that is no text has no subject
		t.call(agent(), Tool{id: p.CallID, Name: p.Name, Subject: Subject(json.RawMessage(arguments))})
		c.once = false
	case p.Type == "custom_tool_call":
		t.call(agent(), Tool{id: p.CallID, Name: p.Name, Subject: words(p.Input)})
		c.once = false
	case p.Type == "local_shell_call", p.Type == "web_search_call":
		t.call(agent(), Tool{id: p.CallID, Name: strings.TrimSuffix(p.Type, "_call"), Subject: Subject(p.Action)})
		c.once = false
	case p.Type == "function_call_output", p.Type == "custom_tool_call_output":
		text, state := codexOutput(p.Output)
		t.result(p.CallID, text, state)
	}
	return true
}

// person adds what a person typed, unless the line before told it already.
func (c *codex) person(t *turns, id string, when time.Time, blocks []codexBlock, at int64) {
	text := codexText(blocks)
	if c.once && c.last == text {
		return
	}
	c.once, c.last = true, text
	turn := t.at(id, Turn{Who: Person, At: when})
	t.say(turn, text)
	for _, b := range blocks {
		if image, ok := imageOf(b.ImageURL); ok {
			t.show(turn, image, at)
		}
	}
}

func codexText(blocks []codexBlock) string {
	var texts []string
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// codexOutput reads what a tool gave back: a text, a text that holds a document,
// or a list of texts.
func codexOutput(output json.RawMessage) (string, State) {
	var text string
	if json.Unmarshal(output, &text) != nil {
		var blocks []codexBlock
		_ = json.Unmarshal(output, &blocks)
		return codexText(blocks), Done
	}
	var document struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &document) == nil && document.Output != nil {
		if document.Metadata.ExitCode != 0 {
			return *document.Output, Failed
		}
		return *document.Output, Done
	}
	head, rest, found := strings.Cut(text, "\nOutput:\n")
	if !found {
		return text, Done
	}
	if _, code, ok := strings.Cut(head, "exited with code "); ok && !strings.HasPrefix(code, "0") {
		return rest, Failed
	}
	return rest, Done
}

// rollBack takes back a person's last turns and what followed them.
func rollBack(t *turns, n int) {
	for i := len(t.list) - 1; i >= 0 && n > 0; i-- {
		if t.list[i].Who != Person {
			continue
		}
		if n--; n == 0 {
			t.removeAfter(i)
		}
	}
}
