package harness

// opencode is OpenCode (npm opencode-ai).
var opencode = &Adapter{
	Name:   "opencode",
	Looks:  Looks{Names: []string{"opencode", "opencode.exe"}, Scripts: []string{"opencode-ai/bin/opencode"}},
	Submit: "Enter",
}
