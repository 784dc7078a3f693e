package hooks

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// An entry is one hook of Collie's.
type entry struct {
	event, matcher   string
	program, harness string
	hold             bool
	timeout          int
}

// entries are the hooks of an install.
func (h *Harness) entries(program string, hold bool) []entry {
	entries := make([]entry, 0, len(h.tells))
	for _, t := range h.tells {
		e := entry{event: t.event, matcher: t.matcher, program: program, harness: h.Name, timeout: tellSeconds * h.second}
		if hold && t.event == Permission {
			e.hold, e.timeout = true, (int(h.Hold/time.Second)+holdSlack)*h.second
		}
		entries = append(entries, e)
	}
	return entries
}

func (e entry) command() string {
	command := quote(e.program) + " " + Verb + " " + e.harness
	if e.hold {
		command += " " + HoldFlag
	}
	return command
}

// value is the group that holds the hook.
func (e entry) value() hujson.Value {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	group := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{e.matcher, []hook{{"command", e.command(), e.timeout}}}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(group) // texts and numbers can be written
	value, err := hujson.Parse([]byte(text.String()))
	if err != nil {
		panic("what was written as JSON is none: " + err.Error())
	}
	value.BeforeExtra, value.AfterExtra = nil, nil
	return value
}

// runs reads a command line of ours.
func (h *Harness) runs(command string) (program string, hold, ok bool) {
	command, hold = strings.CutSuffix(command, " "+HoldFlag)
	word, ok := strings.CutSuffix(command, " "+Verb+" "+h.Name)
	return unquote(word), hold, ok && word != ""
}

// quote makes a path one word of a shell.
func quote(path string) string {
	if path != "" && strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func unquote(word string) string {
	if len(word) >= 2 && word[0] == '\'' && word[len(word)-1] == '\'' {
		return strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	}
	return word
}
