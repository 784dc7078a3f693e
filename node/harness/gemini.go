package harness

import (
	"strings"
	"time"
)

// gemini is Google's Gemini CLI (npm @google/gemini-cli), a script that starts
// itself once more with other options of node. A question is a frame that ends
// the screen; the input is a row with a mark above the rows of state.
var gemini = &Adapter{
	Name: "gemini",
	Looks: Looks{
		Names:   []string{"gemini", "gemini.js"},
		Scripts: []string{"gemini-cli/dist/index.js", "gemini-cli/bundle/gemini.js"},
	},
	Screen: &Layout{
		Dialog: geminiDialog, Box: geminiBox, Working: geminiWorking,
		Always: []string{"for this session", "always", "for all future", "trust folder", "trust parent"},
		Deny:   []string{"no", "don't trust", "cancel"},
		Skip:   []string{"Modify with", "Enter a custom"},
	},
	Settle: 400 * time.Millisecond, // by its own clock 40 ms, during which Enter is a new line
}

// geminiHint is what the input shows while it is empty.
const geminiHint = "Type your message"

// frame returns the rows of the round frame that ends the screen, its edges
// left out, and the column that it begins in. A frame whose top has scrolled
// away begins at row -1.
func (v *view) frame() (first, last, column int, ok bool) {
	last = v.end - 1
	if last < 0 || !strings.HasPrefix(strings.TrimSpace(v.text[last]), "╰─") {
		return 0, 0, 0, false
	}
	column = indent(v.text[last])
	for first = last; first > 0; first-- {
		row := v.text[first-1]
		if indent(row) != column || !hasAnyPrefix(row[column:], "│", "╭─") {
			break
		}
		if strings.HasPrefix(row[column:], "╭─") {
			return first, last - 1, column, true
		}
	}
	return first, last - 1, column, first < last
}

func geminiDialog(v *view) (*Prompt, bool) {
	first, last, column, ok := v.frame()
	if !ok {
		return nil, false
	}
	text := func(i int) string {
		row := strings.TrimSuffix(strings.TrimPrefix(v.text[i][min(column, len(v.text[i])):], "│"), "│")
		row = strings.TrimRight(row, " ")
		inner := strings.TrimSpace(row)
		switch {
		case hasAnyPrefix(inner, "╭─", "╰─"):
			return ""
		case strings.HasPrefix(inner, "│"):
			return "  " + strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(inner, "│"), "│"), " ")
		}
		return row
	}
	end := last + 1
	for end > first && (text(end-1) == "" || contains(text(end-1), "Esc to ", "Enter to ")) {
		end--
	}
	options, ok := v.list(end, text)
	if !ok || options.marked() < 0 || options.first < first {
		return nil, true
	}
	if options.ticks() {
		return nil, true
	}
	p := v.prompt(options, first-1, text)
	p.Cut = first == 0 || !strings.Contains(v.text[first-1], "╭─") || strings.Contains(p.Subject, "hidden ...")
	return geminiOwn(p.digits(), v.subject(end, last+1, text)), true
}

func geminiBox(v *view) *Input {
	for i := v.end - 1; i >= 0; i-- {
		if !hasAnyPrefix(v.text[i], " > ", " ! ", " * ") && v.text[i] != " >" {
			continue
		}
		last := i
		for last+1 < v.end && !v.blank(last+1) && strings.HasPrefix(v.text[last+1], "   ") {
			last++
		}
		if v.end-last > maxFooterRows {
			return nil
		}
		in := v.input(i, last, 3)
		if strings.HasPrefix(strings.TrimSpace(in.Text), geminiHint) {
			in.Text = ""
		}
		return in
	}
	return nil
}

func geminiWorking(v *view, in *Input) bool {
	if in == nil {
		return false
	}
	for i := in.first - 1; i >= 0 && i > in.first-maxFooterRows; i-- {
		if strings.Contains(v.text[i], "(esc to cancel") {
			return true
		}
	}
	return false
}
