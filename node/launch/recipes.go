package launch

import "slices"

// An Option is one way in which a harness may be started. Its flags are ours:
// nobody who chooses an option words them.
type Option struct {
	Name  string
	Flags []string
	// NoConfirmation says that the harness then asks less, or nothing at all,
	// before it acts.
	NoConfirmation bool
}

// A Harness is an agent program and its options.
type Harness struct {
	Name    string // as node/harness has it
	Program string
	Options []Option
}

// Harnesses is the table of what a recipe may start.
func Harnesses() []Harness { return slices.Clone(harnesses) }

var harnesses = []Harness{
	{"claude", "claude", []Option{
		{Name: "continue", Flags: []string{"--continue"}},
		{Name: "resume", Flags: []string{"--resume"}},
		{Name: "plan", Flags: []string{"--permission-mode", "plan"}},
		{Name: "accept-edits", Flags: []string{"--permission-mode", "acceptEdits"}, NoConfirmation: true},
		{Name: "skip-permissions", Flags: []string{"--dangerously-skip-permissions"}, NoConfirmation: true},
	}},
	{"codex", "codex", []Option{
		{Name: "search", Flags: []string{"--search"}},
		{Name: "read-only", Flags: []string{"--sandbox", "read-only"}},
		{Name: "full-auto", Flags: []string{"--full-auto"}, NoConfirmation: true},
		{Name: "skip-permissions", Flags: []string{"--dangerously-bypass-approvals-and-sandbox"}, NoConfirmation: true},
	}},
	{"gemini", "gemini", []Option{
		{Name: "sandbox", Flags: []string{"--sandbox"}},
		{Name: "accept-edits", Flags: []string{"--approval-mode", "auto_edit"}, NoConfirmation: true},
		{Name: "skip-permissions", Flags: []string{"--yolo"}, NoConfirmation: true},
	}},
	{"opencode", "opencode", []Option{
		{Name: "continue", Flags: []string{"--continue"}},
	}},
}

// find returns the harness of a name.
func find(name string) (Harness, bool) {
	i := slices.IndexFunc(harnesses, func(h Harness) bool { return h.Name == name })
	if i < 0 {
		return Harness{}, false
	}
	return harnesses[i], true
}

func (h Harness) option(name string) (Option, bool) {
	i := slices.IndexFunc(h.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return h.Options[i], true
}

// skips reports whether a word of a typed command makes some harness ask less.
func skips(word string) bool {
	for _, h := range harnesses {
		for _, o := range h.Options {
			if o.NoConfirmation && slices.Contains(o.Flags, word) && word != "--permission-mode" && word != "--approval-mode" {
				return true
			}
		}
	}
	return false
}
