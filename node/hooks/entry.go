package hooks

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"collie/node/shell"
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

// command is the line that runs a program, which is given as a word of it.
func (e entry) command(word string) string {
	command := word + " " + Verb + " " + e.harness
	if e.hold {
		command += " " + HoldFlag
	}
	return command
}

// value is the group that holds the hook.
func (e entry) value(word string) hujson.Value {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	group := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{e.matcher, []hook{{"command", e.command(word), e.timeout}}}
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
	return shell.Text(word), hold, ok && word != ""
}
