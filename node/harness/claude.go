package harness

// claude is Claude Code (npm @anthropic-ai/claude-code, and its own installer).
var claude = &Adapter{
	Name: "claude",
	Looks: Looks{
		Names:   []string{"claude", "claude.exe"},
		Scripts: []string{"claude-code/cli.js", "claude-code/cli-wrapper.cjs"},
	},
	Submit: "Enter",
}
