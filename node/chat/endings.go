package chat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// How the logs of the harnesses say that a turn began or ended. What could be
// read in two ways is Unclear.

// interrupted begins what Claude Code writes in the person's name when the person
// ended a turn.
const interrupted = "[Request interrupted by user"

func claudeEnding(data []byte, e *ending) {
	var line struct {
		claudeLine
		Subtype string `json:"subtype"`
		Message struct {
			Content    json.RawMessage `json:"content"`
			StopReason string          `json:"stop_reason"`
		} `json:"message"`
	}
	if json.Unmarshal(data, &line) != nil || line.IsSidechain {
		return
	}
	switch {
	case line.Type == "system" && line.Subtype == "turn_duration":
		e.says(Ended, line.Timestamp)
	case line.IsMeta, line.Type != "user" && line.Type != "assistant":
	case line.IsCompactSummary:
		e.says(Unclear, line.Timestamp)
	case line.Type == "assistant":
		blocks, _ := claudeBlocks(line.Message.Content)
		for _, b := range blocks {
			if b.Type == "tool_use" {
				e.calls(b.ID, line.Timestamp)
				return
			}
		}
		switch line.Message.StopReason {
		case "end_turn", "stop_sequence", "max_tokens", "refusal":
			e.says(Ended, line.Timestamp)
		default: // more of the message follows, or an older version says no reason
			e.word = Word{Unclear, line.Timestamp}
		}
	default:
		blocks, _ := claudeBlocks(line.Message.Content)
		for _, b := range blocks {
			switch {
			case b.Type == "tool_result":
				e.results(b.ToolUseID, line.Timestamp)
			case b.Type != "text":
			case strings.HasPrefix(b.Text, interrupted):
				e.says(Ended, line.Timestamp)
			case strings.HasPrefix(b.Text, "<"): // a command of the program, which may begin a turn or not
				e.says(Unclear, line.Timestamp)
			default:
				e.says(Begun, line.Timestamp)
			}
		}
	}
}

func codexEnding(data []byte, e *ending) {
	var line codexLine
	if json.Unmarshal(data, &line) != nil {
		return
	}
	p := &line.Payload
	switch line.Type + " " + p.Type {
	case "event_msg task_complete", "event_msg turn_complete", "event_msg turn_aborted":
		e.says(Ended, line.Timestamp)
	case "event_msg task_started", "event_msg turn_started", "event_msg user_message":
		e.says(Begun, line.Timestamp)
	case "response_item message", "response_item reasoning": // an older version says no end
		if p.Role != "user" && p.Role != "developer" && len(e.pending) == 0 {
			e.word = Word{Unclear, line.Timestamp}
		}
	case "response_item function_call", "response_item custom_tool_call", "response_item local_shell_call":
		e.calls(p.CallID, line.Timestamp)
	case "response_item function_call_output", "response_item custom_tool_call_output":
		e.results(p.CallID, line.Timestamp)
	}
}

// geminiEnding knows the beginning of a turn alone: a message of the agent's is
// written before the calls of tools that belong to it.
func geminiEnding(data []byte, e *ending) {
	var line geminiLine
	if json.Unmarshal(data, &line) != nil {
		return
	}
	switch {
	case line.RewindTo != nil, line.Set != nil && line.Set.Messages != nil:
		e.says(Unclear, time.Time{})
	case line.ID == "":
	case line.Type == "user" && !strings.HasPrefix(geminiText(line.Content), "<session_context>"):
		e.says(Begun, line.Timestamp)
	default:
		e.says(Unclear, line.Timestamp)
	}
}

// opencodeWord looks at the newest message of a session.
func opencodeWord(ctx context.Context, s Source) (word Word, err error) {
	var data []byte
	var updated int64
	err = read(ctx, s, func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT time_updated, CASE WHEN octet_length(data) <= ? THEN data END FROM message
			WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1`, maxMessageBytes, s.Session).Scan(&updated, &data)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Word{}, nil
	}
	var m struct {
		Role   string          `json:"role"`
		Finish string          `json:"finish"`
		Error  json.RawMessage `json:"error"`
		Time   struct {
			Created   int64 `json:"created"`
			Completed int64 `json:"completed"`
		} `json:"time"`
	}
	if err != nil || json.Unmarshal(data, &m) != nil {
		return Word{}, err
	}
	switch {
	case m.Role == "user":
		return Word{Begun, time.UnixMilli(m.Time.Created)}, nil
	case m.Time.Completed > 0 && (m.Finish == "stop" || m.Finish == "length" || len(m.Error) > 0):
		return Word{Ended, time.UnixMilli(m.Time.Completed)}, nil
	}
	return Word{Unclear, time.UnixMilli(updated)}, nil
}
