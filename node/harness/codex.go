package harness

// codex is OpenAI's Codex (npm @openai/codex, a script that starts a native
// program of the same name).
var codex = &Adapter{
	Name: "codex",
	Looks: Looks{
		Names:   []string{"codex"},
		Scripts: []string{"codex/bin/codex.js"},
	},
	Submit: "Enter",
}
