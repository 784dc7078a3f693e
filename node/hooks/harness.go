package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// A Harness is where a program has its hooks, and which of them tell something.
type Harness struct {
	Name string
	// Variable names its folder of settings, and below is where that is in the
	// home folder without it.
	Variable, below string
	// base names the folder that below's own first folder is, where there is such
	// a variable, and within is where its settings are there.
	base, within string
	file         string
	// plugin is a program that the file is whole, where hooks are no settings.
	plugin string
	// Hold is how long a hook of it that may answer a permission waits for a tap; 0
	// where it has none. Where the dialog comes only once the hook has said
	// nothing, somebody at the desk waits that long.
	Hold time.Duration
	// Advice is what is left for a person to do after an install.
	Advice string

	tells []tell
	// second is what its timeouts count.
	second int
}

// A tell is one event that is heard.
type tell struct {
	event   string
	matcher string
}

// Permission is the event at which a hook may answer a permission.
const Permission = "PermissionRequest"

// Seconds that a hook may take: one that only tells is over at once, and gives
// up by itself before that. One that waits for a tap ends so long before its
// harness ends it.
const (
	tellSeconds = 5
	holdSlack   = 10
)

var harnesses = []*Harness{
	{
		Name: "claude", Variable: "CLAUDE_CONFIG_DIR", below: ".claude", file: "settings.json", Hold: 590 * time.Second, second: 1,
		tells: []tell{
			{event: "SessionStart"},
			{event: "UserPromptSubmit"},
			{event: "PostToolUse", matcher: "*"},
			{event: Permission, matcher: "*"},
			{event: "Notification"},
			{event: "Stop"},
			{event: "StopFailure"},
			{event: "SessionEnd"},
		},
		Advice: "Sessions that run already take it up when they are started again.",
	},
	{
		Name: "codex", Variable: "CODEX_HOME", below: ".codex", file: "hooks.json", Hold: time.Minute, second: 1,
		tells: []tell{
			{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse"}, {event: Permission}, {event: "Stop"}, {event: "SessionEnd"},
		},
		Advice: "Codex asks once whether it may run new hooks: say yes in /hooks.",
	},
	{
		Name: "gemini", Variable: "", below: ".gemini", file: "settings.json", second: 1000,
		tells: []tell{
			{event: "SessionStart"}, {event: "BeforeAgent"}, {event: "AfterTool"}, {event: "Notification"}, {event: "AfterAgent"}, {event: "SessionEnd"},
		},
		Advice: "Sessions that run already take it up when they are started again.",
	},
	{
		Name: "opencode", Variable: "OPENCODE_CONFIG_DIR", below: ".config/opencode", base: "XDG_CONFIG_HOME", within: "opencode",
		file: "plugin/collie.js", plugin: opencodePlugin,
		Advice: "Sessions that run already take it up when they are started again.",
	},
}

// Names lists the harnesses that have hooks.
func Names() []string {
	var names []string
	for _, h := range harnesses {
		names = append(names, h.Name)
	}
	return names
}

// Named returns a harness, or nil.
func Named(name string) *Harness {
	if i := slices.IndexFunc(harnesses, func(h *Harness) bool { return h.Name == name }); i >= 0 {
		return harnesses[i]
	}
	return nil
}

// Folders are the folders of settings that an environment leads to: the one
// below the home folder when it is there, and the one that it names.
func (h *Harness) Folders(env func(string) string) []string {
	var folders []string
	usual := filepath.Join(env("HOME"), h.below)
	if base := h.based(env); base != "" {
		usual = base
	}
	if filepath.IsAbs(usual) {
		if _, err := os.Stat(usual); err == nil || h.Variable == "" || env(h.Variable) == "" {
			folders = append(folders, usual)
		}
	}
	if h.Variable != "" {
		if folder := env(h.Variable); filepath.IsAbs(folder) && !slices.Contains(folders, filepath.Clean(folder)) {
			folders = append(folders, filepath.Clean(folder))
		}
	}
	return folders
}

// based is the folder of settings below the one that base names, or "".
func (h *Harness) based(env func(string) string) string {
	if h.base == "" || !filepath.IsAbs(env(h.base)) {
		return ""
	}
	return filepath.Join(env(h.base), h.within)
}

func (h *Harness) events() []string {
	events := make([]string, 0, len(h.tells))
	for _, t := range h.tells {
		events = append(events, t.event)
	}
	return events
}

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
