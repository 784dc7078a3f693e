package harness

import "strings"

// claude is Claude Code (npm @anthropic-ai/claude-code, and its own installer).
// It draws below its output: an input between two rules, or below one rule a
// question that ends the screen. Versions before 2 draw both in round frames.
var claude = &Adapter{
	Name: "claude",
	Looks: Looks{
		Names:   []string{"claude", "claude.exe"},
		Scripts: []string{"claude-code/cli.js", "claude-code/cli-wrapper.cjs"},
	},
	Screen: &Layout{
		Dialog: claudeDialog, Box: claudeBox, Working: claudeWorking,
		Always: []string{"don't ask again", "always allow", "allow all", "during this session", "trust this folder"},
		Deny:   []string{"no"},
		Skip:   []string{"Type something", "Chat about this"},
	},
}

// claudeHints are words of the rows below a question.
var claudeHints = []string{"Esc to ", "Enter to ", "Tab to ", "ctrl+", "ctrl-", "↑/↓"}

func claudeBox(v *view) *Input {
	last := v.edge(v.end)
	first := v.edge(last)
	if first < 0 || v.end-last > maxFooterRows {
		return nil
	}
	for i := last + 1; i < v.end; i++ {
		if it, ok := itemOf(v.text[i]); ok && it.marked {
			return nil // a question below, whatever is above it
		}
	}
	begin := unframed(v.text[first+1])
	if first+1 >= last || !(hasAnyPrefix(begin, "❯ ", "> ", "! ", "# ") || begin == "❯" || begin == ">") {
		return nil
	}
	columns := 2
	if strings.HasPrefix(v.text[first+1], "│") {
		columns = 4
	}
	return v.input(first+1, last-1, columns)
}

func claudeDialog(v *view) (*Prompt, bool) {
	if claudeBox(v) != nil {
		return nil, false // whatever looks like a question is a quotation
	}
	end, hinted := v.end, false
	for end > 0 && (v.blank(end-1) || strings.HasPrefix(v.text[end-1], "╰") || contains(v.text[end-1], claudeHints...)) {
		hinted = hinted || contains(v.text[end-1], claudeHints...)
		end--
	}
	text := func(i int) string {
		row := unframed(v.text[i])
		if strings.HasPrefix(strings.TrimSpace(row), "╌╌╌") {
			return ""
		}
		return row
	}
	options, ok := v.list(end, text)
	if !ok || options.marked() < 0 {
		return nil, hinted && v.edge(v.end) >= 0
	}
	top := v.edge(options.first)
	p := v.prompt(options, top, text)
	p.Cut = top < 0
	if options.ticks() {
		return claudeSeveral(p), true
	}
	return claudeOwn(p.digits()), true
}

func claudeWorking(v *view, in *Input) bool {
	if spinning(v.Title) {
		return true
	}
	if in == nil {
		return false
	}
	for i := in.last + 1; i < v.end; i++ {
		if strings.Contains(v.text[i], "esc to interrupt") {
			return true
		}
	}
	for i := in.first - 2; i >= 0 && i > in.first-maxFooterRows; i-- {
		if hasAnyPrefix(v.text[i], "· ", "✢ ", "✳ ", "✶ ", "✻ ", "✽ ", "* ") && strings.Contains(v.text[i], "…") {
			return true
		}
	}
	return false
}
