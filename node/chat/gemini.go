package chat

import (
	"encoding/json"
	"strings"
	"time"
)

// gemini reads Gemini CLI's logs: one JSON object a line in
// tmp/PROJECT/chats/session-TIME-ID.jsonl of its folder. A line is a message, of
// which a later line with its id takes the place; or a change of the list of
// messages.
type gemini struct{}

type geminiLine struct {
	RewindTo *string `json:"$rewindTo"`
	Set      *struct {
		Messages *[]geminiMessage `json:"messages"`
	} `json:"$set"`
	geminiMessage
}

type geminiMessage struct {
	ID             string          `json:"id"`
	Timestamp      time.Time       `json:"timestamp"`
	Type           string          `json:"type"`
	Content        json.RawMessage `json:"content"`
	DisplayContent json.RawMessage `json:"displayContent"`
	ToolCalls      []geminiCall    `json:"toolCalls"`
}

type geminiCall struct {
	Name          string          `json:"name"`
	DisplayName   string          `json:"displayName"`
	Args          json.RawMessage `json:"args"`
	Status        string          `json:"status"`
	ResultDisplay json.RawMessage `json:"resultDisplay"`
	Result        []struct {
		FunctionResponse struct {
			Response struct {
				Output string `json:"output"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

func (gemini) line(data []byte, _ int64, t *turns) bool {
	var line geminiLine
	if json.Unmarshal(data, &line) != nil {
		return false
	}
	switch {
	case line.RewindTo != nil && t.byID[*line.RewindTo] != nil:
		t.removeFrom(*line.RewindTo)
	case line.RewindTo != nil: // to a message that is not known: all goes
		t.removeAfter(0)
	case line.Set != nil && line.Set.Messages != nil:
		t.removeAfter(0)
		for _, message := range *line.Set.Messages {
			message.add(t)
		}
	case line.ID != "":
		line.add(t)
	}
	return true
}

// add puts a message in its place.
func (m *geminiMessage) add(t *turns) {
	who := Agent
	if m.Type == "user" {
		who = Person
	}
	text := geminiText(m.DisplayContent)
	if text == "" {
		text = geminiText(m.Content)
	}
	if who == Person && strings.HasPrefix(text, "<session_context>") {
		return // what the program says of the machine
	}
	if text == "" && len(m.ToolCalls) == 0 {
		if t.byID[m.ID] != nil {
			t.remove(m.ID)
		}
		return
	}
	turn := t.at(m.ID, Turn{Who: who, At: m.Timestamp})
	before := size(turn)
	turn.Text, turn.Tools, turn.Images, turn.Cut = "", nil, nil, false
	t.grew(turn, before)
	t.say(turn, text)
	for _, c := range m.ToolCalls {
		tool := Tool{Name: c.DisplayName, Subject: Subject(c.Args), State: Running}
		if tool.Name == "" {
			tool.Name = c.Name
		}
		switch c.Status {
		case "success":
			tool.State = Done
		case "error", "cancelled":
			tool.State = Failed
		}
		t.call(turn, tool)
		t.ended(turn, c.result())
	}
}

// ended gives the last tool of a turn its result.
func (t *turns) ended(turn *Turn, text string) {
	if len(turn.Tools) == 0 || text == "" {
		return
	}
	before := size(turn)
	tool := &turn.Tools[len(turn.Tools)-1]
	var cut bool
	tool.Result, cut = shorten(text, MaxResultBytes)
	tool.Cut = tool.Cut || cut
	t.grew(turn, before)
}

// geminiText reads content, which is a text, a part, or a list of parts.
func geminiText(content json.RawMessage) string {
	type part struct {
		Text    string `json:"text"`
		Thought bool   `json:"thought"`
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return strings.TrimSpace(text)
	}
	var parts []part
	if json.Unmarshal(content, &parts) != nil {
		parts = make([]part, 1)
		_ = json.Unmarshal(content, &parts[0])
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" && !p.Thought {
			texts = append(texts, p.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// result reads what a tool shows: a text, or a change of a file. Where it shows a
// picture of a terminal, it is what the model was told.
func (c *geminiCall) result() string {
	var text string
	if json.Unmarshal(c.ResultDisplay, &text) == nil && text != "" {
		return text
	}
	var change struct {
		FileDiff string `json:"fileDiff"`
	}
	if json.Unmarshal(c.ResultDisplay, &change) == nil && change.FileDiff != "" {
		return change.FileDiff
	}
	var told []string
	for _, part := range c.Result {
		response := part.FunctionResponse.Response
		for line := range strings.Lines(response.Output + response.Error) {
			line = strings.TrimRight(line, "\n")
			if line != "<untrusted_context>" && line != "</untrusted_context>" && !strings.HasPrefix(line, "Process Group PGID: ") {
				told = append(told, strings.TrimPrefix(line, "Output: "))
			}
		}
	}
	return strings.Join(told, "\n")
}
