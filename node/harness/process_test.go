package harness_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/node/harness"
)

func TestAgentsAreRecognisedByTheirProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string // that the kernel has
		args string
		want string // "" for none
	}{
		{"claude", "claude", "claude"},
		{"claude", "/opt/agents/node_modules/@anthropic-ai/claude-code/bin/claude --continue", "claude"},
		{"claude.exe", "/usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe", "claude"},
		{"node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude"},
		{"MainThread", "node --no-warnings --max-old-space-size=4096 /usr/local/bin/claude -p", "claude"},
		{"bun", "bun run /home/x/claude-code/cli.js", "claude"},
		{"node", "/usr/bin/node -r ./hook.js --import x /usr/bin/codex exec", "codex"},
		{"codex", "/opt/x/codex --model m", "codex"},
		{"node", "node /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"},
		{"opencode", "opencode", "opencode"},
		{"node", "/usr/bin/node --no-warnings=DEP0040 /usr/local/bin/gemini", "gemini"},
		{"node", "node /usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js", "gemini"},
		{"bash", "bash /home/x/bin/claude", "claude"},
		{"bash", "bash -c claude", ""},
		{"node", "node -e claude", ""},
		{"node", "node", ""},
		{"node", "node /home/x/notclaude-code/cli.js", ""},
		{"node", "node server.js claude", ""},
		{"vim", "vim claude", ""},
		{"bash", "-bash", ""},
		{"grep", "grep claude", ""},
		{"npm exec @googl", "npm exec @google/gemini-cli", ""}, // its child is the agent
		{"", "", ""},
	} {
		got := ""
		if a := harness.Builtin().Of(c.name, strings.Fields(c.args)); a != nil {
			got = a.Name
		}
		if got != c.want {
			t.Errorf("%s (%s) is %q, want %q", c.args, c.name, got, c.want)
		}
	}
}

func TestTheOperatorsTableAddsAgents(t *testing.T) {
	t.Parallel()
	set, err := harness.Parse([]byte(`
[[harness]]
name = "aider"
process = ["aider"]
script = ["aider/__main__.py"]
input = "paste"

[[harness]]
name = "house-agent"
script = ["house/agent.js"]
`))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"aider --model x":                        "aider",
		"python3.12 /usr/lib/aider/__main__.py":  "aider",
		"python3 -m aider":                       "aider",
		"node --enable-x /srv/house/agent.js -v": "house-agent",
		"claude":                                 "claude",
	} {
		a := set.Of("", strings.Fields(args))
		if a == nil || a.Name != want {
			t.Errorf("%s is %+v, want %s", args, a, want)
		}
	}
	if set.Named("aider").ByLine || !set.Named("house-agent").ByLine {
		t.Error("a row that says nothing of its input takes lines, and one that says paste takes pastes")
	}
	if want := []string{"aider", "claude", "codex", "gemini", "house-agent", "opencode"}; !slices.Equal(set.Names(), want) {
		t.Errorf("names are %q, want %q", set.Names(), want)
	}
}

func TestATableThatCannotBeUsedIsRefusedByPlace(t *testing.T) {
	t.Parallel()
	for table, want := range map[string]string{
		"[[harness]]\nname = \"x\"\nprocess = [\"x\"]\nkeys = 1\n":                      "line 4: unknown key harness.keys",
		"[[harness]]\nname = \n":                                                        "line 2",
		"[[harness]]\nname = \"Big\"\nprocess = [\"x\"]\n":                              "row 1: name has to be",
		"[[harness]]\nname = \"shell\"\nprocess = [\"x\"]\n":                            "row 1: name has to be",
		"[[harness]]\nname = \"claude\"\nprocess = [\"x\"]\n":                           "row 1: the name is taken",
		"[[harness]]\nname = \"x\"\n":                                                   "row 1: process or script",
		"[[harness]]\nname = \"x\"\nprocess = [\"node\"]\n":                             "row 1: process is an interpreter",
		"[[harness]]\nname = \"x\"\nprocess = [\"/bin/x\"]\n":                           "row 1: process has to be",
		"[[harness]]\nname = \"x\"\nscript = [\"\"]\n":                                  "row 1: script has to be",
		"[[harness]]\nname = \"x\"\nprocess = [\"x\"]\ninput = \"voice\"\n":             "row 1: input has to be",
		strings.Repeat("[[harness]]\nname = \"x\"\nprocess = [\"x\"]\n", 65):            "more than 64 rows",
		strings.Repeat("#", 64<<10+1):                                                   "larger than",
		"[[harness]]\nname = \"x\"\nprocess = [" + strings.Repeat("\"x\",", 17) + "]\n": "row 1: more than 16 names",
	} {
		_, err := harness.Parse([]byte(table))
		if !errors.Is(err, harness.ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error is %v, want %q", table, err, want)
		}
	}
}

func TestATableIsReadFromItsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set, err := harness.Load(filepath.Join(dir, harness.TableName))
	if err != nil || len(set.Names()) != 4 {
		t.Fatalf("without a file: %v, %v", set.Names(), err)
	}
	path := filepath.Join(dir, harness.TableName)
	if err := os.WriteFile(path, []byte("[[harness]]\nname = \"x\"\nprocess = [\"x\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if set, err = harness.Load(path); err != nil || len(set.Names()) != 5 {
		t.Fatalf("with a file: %v, %v", set.Names(), err)
	}
	if _, err := harness.Load(dir); !errors.Is(err, harness.ErrTable) {
		t.Errorf("a folder in its place: %v", err)
	}
}

func TestAHarnessThatIsNotKnownTakesLines(t *testing.T) {
	t.Parallel()
	set := harness.Builtin()
	if a := set.Named("agent"); a.Name != "agent" || !a.Agent() {
		t.Errorf("agent is %+v", a)
	}
	if a := set.Named(""); a.Name != "shell" || a.Agent() {
		t.Errorf("a pane without a harness is %+v", a)
	}
	if a := set.Named("codex"); a.Name != "codex" {
		t.Errorf("codex is %+v", a)
	}
}

// FuzzParse reads tables of the operator: whatever stands there, it is used or
// refused by name.
func FuzzParse(f *testing.F) {
	f.Add([]byte("[[harness]]\nname = \"x\"\nprocess = [\"x\"]\ninput = \"line\"\n"))
	f.Add([]byte("harness = 1"))
	f.Add([]byte("[[harness]]\nscript = [\"a/b\"]\nname='y'"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := harness.Parse(data)
		if (err == nil) == (set == nil) || (err != nil && !errors.Is(err, harness.ErrTable)) {
			t.Fatalf("%v, %v", set, err)
		}
	})
}
