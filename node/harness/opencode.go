package harness

import (
	"strconv"
	"strings"
)

// opencode is OpenCode (npm opencode-ai). It owns the whole screen; what has the
// input is the last block behind a bar. A block that ends in a foot is the input.
// On a wide screen there is a column of other things on the right, which has the
// background of the page.
var opencode = &Adapter{
	Name:  "opencode",
	Looks: Looks{Names: []string{"opencode", "opencode.exe"}, Scripts: []string{"opencode-ai/bin/opencode"}},
	Screen: &Layout{
		Dialog: opencodeDialog, Box: opencodeBox, Working: opencodeWorking,
		Always: []string{"always"},
		Deny:   []string{"reject", "cancel", "no"},
		Skip:   []string{"Type your own"},
	},
}

const (
	bar  = "┃"
	foot = "╹"
	// opencodeHint is what the input shows while it is empty.
	opencodeHint = "Ask anything"
)

// barred returns what a row shows behind its bar, without the column on the
// right of it.
func (v *view) barred(i int) (text string, ok bool) {
	page, block, behind := "", "", false
	var shown strings.Builder
	for _, run := range v.Rows[i].Runs {
		back := lookOf(run.Style).back
		if !behind {
			before, after, found := strings.Cut(run.Text, bar)
			if !found {
				if strings.TrimSpace(run.Text) != "" {
					return "", false
				}
				page = back
				continue
			}
			if strings.TrimSpace(before) != "" {
				return "", false
			}
			behind, block = true, back
			shown.WriteString(after)
			continue
		}
		if back == page && back != block {
			break
		}
		shown.WriteString(run.Text)
	}
	return strings.TrimRight(shown.String(), " "), behind
}

// block returns the rows of the block that ends before row end.
func (v *view) block(end int) (first, last int, ok bool) {
	last = end - 1
	for first = end; first > 0; first-- {
		if _, barred := v.barred(first - 1); !barred {
			break
		}
	}
	return first, last, first <= last
}

func opencodeDialog(v *view) (*Prompt, bool) {
	first, last, ok := v.block(v.end)
	if !ok {
		return nil, false
	}
	text := func(i int) string { row, _ := v.barred(i); return row }
	begin, end := first, last+1
	for begin < end && text(begin) == "" {
		begin++
	}
	for end > begin && text(end-1) == "" {
		end--
	}
	if end-begin < 3 {
		return nil, false
	}
	hint := text(end - 1)
	switch {
	case strings.Contains(text(begin), "△"):
		options := v.abreast(end - 1)
		if len(options) < 2 {
			return nil, true
		}
		p := &Prompt{
			Question: strings.TrimSpace(strings.Replace(text(begin), "△", "", 1)), Subject: v.subject(begin+1, end-1, text),
			Options: options, first: begin, last: end - 1, Cut: first == 0,
		}
		return p.moves("Right", "Left"), true
	case contains(hint, "esc dismiss"):
		options, ok := v.list(end-1, text)
		if !ok {
			return v.opencodeReview(begin, end-1, text), true
		}
		p := v.prompt(options, begin-1, text)
		p.Cut = first == 0
		if options.ticks() || contains(hint, "toggle") {
			return opencodeSeveral(p), true
		}
		return opencodeOwn(p.digits()), true
	}
	return nil, contains(hint, "enter ", "esc ")
}

// abreast reads options that stand side by side; the chosen one has a background
// of its own.
func (v *view) abreast(i int) []Option {
	type part struct{ text, back string }
	var parts []part
	behind := false
	for _, run := range v.Rows[i].Runs {
		text, back := run.Text, lookOf(run.Style).back
		if !behind {
			_, after, found := strings.Cut(text, bar)
			behind = found
			text = after
			if !found {
				continue
			}
		}
		if n := len(parts); n > 0 && parts[n-1].back == back {
			parts[n-1].text += text
		} else {
			parts = append(parts, part{text, back})
		}
	}
	var options []Option
	ground := ""
	if len(parts) > 1 {
		ground = parts[1].back
	}
	for _, p := range parts {
		for label := range strings.SplitSeq(p.text, "   ") {
			label = strings.TrimSpace(label)
			label, _, more := strings.Cut(label, "  ")
			switch {
			case label == "":
				continue
			case contains(label, "ctrl+", "⇆", "enter"): // the keys, which follow the options
				return options
			}
			options = append(options, Option{ID: strconv.Itoa(len(options) + 1), Label: label, Marked: p.back != ground})
			if more {
				return options
			}
		}
	}
	return options
}

func opencodeBox(v *view) *Input {
	for i := v.end - 1; i > 0 && v.end-i <= maxFooterRows+v.end/2; i-- {
		if !strings.HasPrefix(strings.TrimSpace(v.text[i]), foot) {
			continue
		}
		first, last, ok := v.block(i)
		if !ok {
			return nil
		}
		var rows []string
		for j := first; j < last; j++ { // the last one names the agent and its model
			row, _ := v.barred(j)
			rows = append(rows, strings.TrimPrefix(row, "  "))
		}
		in := &Input{Text: join(rows), first: first, last: last}
		if strings.HasPrefix(in.Text, opencodeHint) {
			in.Text = ""
		}
		return in
	}
	return nil
}

func opencodeWorking(v *view, in *Input) bool {
	if in == nil {
		return false
	}
	for i := in.last + 1; i < v.end; i++ {
		if strings.Contains(v.text[i], "esc interrupt") || strings.Contains(v.text[i], "esc again to interrupt") {
			return true
		}
	}
	return false
}
