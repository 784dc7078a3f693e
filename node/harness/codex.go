package harness

import "strings"

// codex is OpenAI's Codex (npm @openai/codex, a script that starts a native
// program of the same name). Its input is the last row with its mark, above one
// or two rows of state; a question ends the screen with the keys that answer it.
var codex = &Adapter{
	Name: "codex",
	Looks: Looks{
		Names:   []string{"codex"},
		Scripts: []string{"codex/bin/codex.js"},
	},
	Screen: &Layout{
		Dialog: codexDialog, Box: codexBox, Working: codexWorking,
		Always: []string{"don't ask again", "for this session", "always", "trust and"},
		Deny:   []string{"no"},
	},
}

// codexQuestions are how the first row of its questions begins.
var codexQuestions = []string{"Would you like to ", "Do you want to ", "Allow "}

func codexBox(v *view) *Input {
	if codexHint(v) >= 0 {
		return nil
	}
	first := v.end - 1
	for first >= 0 && !hasAnyPrefix(v.text[first]+" ", "› ", "! ") {
		first--
	}
	if first < 0 {
		return nil
	}
	last := v.end - 1
	for footer := 0; last > first && !v.blank(last) && footer < 3; footer++ {
		last--
	}
	if !v.blank(last) {
		last = v.end - 1 // no rows of state: the text fills the screen
	}
	for last > first && v.blank(last) {
		last--
	}
	return v.input(first, last, 2)
}

// codexHint returns where the row begins that ends a question with the keys which
// answer it, or -1. It may be broken before the last of them.
func codexHint(v *view) int {
	at, hint := v.end, ""
	for at > 0 && (at == v.end || at == v.end-1 && strings.HasPrefix(hint, "  esc to ")) {
		at--
		hint = strings.ToLower(v.text[at]) + hint
		if !strings.HasPrefix(hint, "  ") {
			break
		}
		if contains(hint, "enter ") && contains(hint, "esc ") {
			return at
		}
	}
	return -1
}

func codexDialog(v *view) (*Prompt, bool) {
	hint := codexHint(v)
	if hint < 0 {
		return nil, false
	}
	text := func(i int) string { return v.text[i] }
	options, ok := v.list(hint, text)
	if !ok || options.marked() < 0 {
		return nil, true
	}
	top, asked := options.first, -1
	for top > 0 && (v.blank(top-1) || indent(v.text[top-1]) >= 2) {
		top--
		if hasAnyPrefix(strings.TrimSpace(v.text[top]), codexQuestions...) {
			asked = top // the first one: what it is about may hold the same words
		}
	}
	p := v.prompt(options, max(asked, top)-1, text)
	if asked >= 0 {
		p.Question = strings.TrimSpace(v.text[asked])
		p.Subject = v.subject(asked+1, options.first, text)
	}
	codexColumns(p)
	p.Cut = top == 0 && asked < 0 && !v.blank(0) || strings.Contains(p.Subject, "[… ")
	if contains(v.text[hint], "enter to confirm") {
		return p.digits(), true
	}
	return p.moves("Down", "Up"), true
}

// codexColumns takes apart what a question of the agent itself shows: which of them
// it is, in the row above it, and each answer with what is said of it beside it.
func codexColumns(p *Prompt) {
	number, question, ok := strings.Cut(p.Question, " unanswered) ")
	if !ok || !strings.HasPrefix(number, "Question ") {
		return
	}
	number, _, _ = strings.Cut(number, " (") // how many are left is no part of it
	p.Question, p.Subject = question, number
	for i := range p.Options {
		o := &p.Options[i]
		if label, detail, two := strings.Cut(o.Label, "  "); two {
			o.Label, o.Detail = label, strings.TrimSpace(detail+" "+o.Detail)
		}
	}
}

func codexWorking(v *view, in *Input) bool {
	if in == nil {
		return false
	}
	for i := in.first - 1; i >= 0 && i > in.first-maxFooterRows; i-- {
		if strings.HasPrefix(v.text[i], "• ") && strings.Contains(v.text[i], "esc to interrupt") {
			return true
		}
	}
	return false
}
