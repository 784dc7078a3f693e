package harness

// gemini is Google's Gemini CLI (npm @google/gemini-cli), a script that starts
// itself once more with other options of node.
var gemini = &Adapter{
	Name: "gemini",
	Looks: Looks{
		Names:   []string{"gemini", "gemini.js"},
		Scripts: []string{"gemini-cli/dist/index.js", "gemini-cli/bundle/gemini.js"},
	},
	Submit: "Enter",
}
