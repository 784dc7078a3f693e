package chat

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// claude reads Claude Code's logs: one JSON object a line in
// projects/FOLDER/SESSION.jsonl of its config folder. A message of the agent
// comes in several lines of the same message id; results of tools come as lines
// of the user's.
type claude struct{}

type claudeLine struct {
	Type             string    `json:"type"`
	UUID             string    `json:"uuid"`
	Timestamp        time.Time `json:"timestamp"`
	IsSidechain      bool      `json:"isSidechain"`
	IsMeta           bool      `json:"isMeta"`
	IsCompactSummary bool      `json:"isCompactSummary"`
	Message          struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    struct {
		Type string `json:"type"`
		Data string `json:"data"`
	} `json:"source"`
}

func (claude) line(data []byte, at int64, t *turns) bool {
	var line claudeLine
	err := json.Unmarshal(data, &line)
	if shape := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &shape) {
		return false
	}
	if line.Type != "user" && line.Type != "assistant" {
		return true // what the program keeps for itself, in whatever shape
	}
	if err != nil {
		return false
	}
	if line.IsSidechain || line.IsMeta || line.IsCompactSummary {
		return true
	}
	blocks, ok := claudeBlocks(line.Message.Content)
	if !ok {
		return false
	}
	id, who := line.UUID, Person
	if line.Type == "assistant" {
		who = Agent
		if line.Message.ID != "" {
			id = line.Message.ID
		}
	}
	if id == "" {
		id = "@" + strconv.FormatInt(at, 10)
	}
	turn := func() *Turn { return t.at(id, Turn{Who: who, At: line.Timestamp}) }
	for _, b := range blocks {
		switch b.Type {
		case "text":
			text := b.Text
			if who == Person {
				text = typed(text)
			}
			if text = strings.TrimSpace(text); text != "" {
				t.say(turn(), text)
			}
		case "tool_use":
			t.call(turn(), Tool{id: b.ID, Name: b.Name, Subject: Subject(b.Input)})
		case "tool_result":
			state := Done
			if b.IsError {
				state = Failed
			}
			t.result(b.ToolUseID, claudeText(b.Content), state)
		case "image":
			if image, ok := imageOf(b.Source.Data); ok {
				t.show(turn(), image, at)
			}
		}
	}
	return true
}

// claudeBlocks reads content, which is a text or a list of blocks.
func claudeBlocks(content json.RawMessage) ([]claudeBlock, bool) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}, true
	}
	var blocks []claudeBlock
	return blocks, json.Unmarshal(content, &blocks) == nil
}

func claudeText(content json.RawMessage) string {
	blocks, _ := claudeBlocks(content)
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

var (
	// reminders are what the program adds to a person's words.
	reminders = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)
	// A command of the program is kept as tags around its parts.
	commandName = regexp.MustCompile(`(?s)<command-name>(.*?)</command-name>`)
	commandArgs = regexp.MustCompile(`(?s)<command-args>(.*?)</command-args>`)
)

// typed is what of a user's line a person typed.
func typed(text string) string {
	if name := commandName.FindStringSubmatch(text); name != nil {
		args := ""
		if found := commandArgs.FindStringSubmatch(text); found != nil {
			args = found[1]
		}
		return strings.TrimSpace(name[1] + " " + args)
	}
	for _, own := range []string{"<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<task-notification>"} {
		if strings.HasPrefix(text, own) {
			return ""
		}
	}
	return reminders.ReplaceAllString(text, "")
}
