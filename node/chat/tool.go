package chat

import (
	"encoding/json"
	"strings"
)

// subjects are the names that harnesses give to what a tool is about, the
// telling one first.
var subjects = []string{
	"command", "cmd", "file_path", "filePath", "absolute_path", "path", "notebook_path", "dir_path", "pattern", "query", "url", "skill",
	"description", "prompt", "question", "input",
}

// Subject is what a tool is about, taken from what it was called with: its
// command, its file, or everything.
func Subject(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return words(input)
	}
	for _, name := range subjects {
		if text := words(fields[name]); text != "" {
			return text
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return string(input)
}

// words reads a text, or a list of them as a command line has.
func words(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(value, &list) != nil {
		return ""
	}
	if len(list) == 3 && (list[1] == "-lc" || list[1] == "-c") { // a shell with one line for it
		return list[2]
	}
	return strings.Join(list, " ")
}
