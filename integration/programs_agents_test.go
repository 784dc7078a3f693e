package integration_test

import (
	"strings"

	"github.com/chromedp/chromedp/kb"
)

// The agents as a person without an account can drive them: each has a home of
// its own, says no word to anybody (nobody listens at port 9), and is asked for
// nothing that needs a model. Where one is not installed, as in CI, a recording of
// it goes on with each key.

// A text, and the keys that take it back.
const draft = "hello 端末"

var backspaces = strings.Repeat(kb.Backspace, len([]rune(draft)))

// athome begins a command whose program has its home in the project.
const athome = `env HOME="$PWD/home" XDG_DATA_HOME= XDG_CONFIG_HOME= XDG_CACHE_HOME= XDG_STATE_HOME= `

var shownAgents = []shownProgram{
	{
		name: "claude", needs: "claude", cols: 100, rows: 30,
		command: athome + "ANTHROPIC_API_KEY=sk-ant-api03-nobody-has-this-key-0000 ANTHROPIC_BASE_URL=http://127.0.0.1:9 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 claude",
		files: map[string]string{
			"home/.claude.json": `{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["dy-has-this-key-0000"]}}`,
		},
		steps: []programStep{
			{"❯ 1. Yes, I trust this folder", kb.ArrowDown},
			{"❯ 2. No, exit", kb.ArrowUp},
			{"❯ 1. Yes, I trust this folder", enter},
			{"? for shortcuts", draft},
			{"❯\u00a0" + draft, backspaces},
			{"? for shortcuts", "/help"},
			{"❯\u00a0/help", enter},
			{"For more help", escape},
			{"Press Escape again", escape},
			{"Help dialog dismissed", ""},
		},
	},
	{
		name: "codex", needs: "codex", cols: 100, rows: 30,
		command: athome + "codex --no-daemon",
		files: map[string]string{
			"home/.codex/config.toml": "model = \"fake\"\nmodel_provider = \"fake\"\ncheck_for_update_on_startup = false\n" +
				"[model_providers.fake]\nname = \"fake\"\nbase_url = \"http://127.0.0.1:9/v1\"\nwire_api = \"responses\"\n",
		},
		steps: []programStep{
			{"› 1. Trust and continue", kb.ArrowDown},
			{"› 2. Back to", kb.ArrowUp},
			{"› 1. Trust and continue", enter},
			{"Ask Codex to do anything", draft},
			{"› " + draft, backspaces},
			{"Ask Codex to do anything", "/mod"},
			{"/model", escape},
			{"› /mod", ""},
		},
	},
	{
		name: "gemini", needs: "gemini", cols: 100, rows: 30,
		command: athome + "GEMINI_API_KEY=nobody-has-this-key gemini",
		files:   map[string]string{"home/.gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": true}}, "general": {"enableAutoUpdate": false}}`},
		steps: []programStep{
			{"● 1. Trust folder", kb.ArrowDown},
			{"● 2. Trust parent", kb.ArrowUp},
			{"● 1. Trust folder", enter},
			{"Type your message", draft},
			{"> " + draft, backspaces},
			{"Type your message", "/help"},
			{"> /help", enter},
			{"Keyboard Shortcuts", ""},
		},
	},
	{
		name: "opencode", needs: "opencode", cols: 100, rows: 30,
		command: athome + "OPENCODE_DISABLE_AUTOUPDATE=1 opencode",
		steps: []programStep{
			{"Ask anything", draft},
			{draft, backspaces},
			{"Ask anything", "/them"},
			{"/themes", escape},
			{"/them", ""},
		},
	},
}
