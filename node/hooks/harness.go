package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"time"
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
