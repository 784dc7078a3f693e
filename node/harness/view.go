package harness

import (
	"strings"
	"unicode/utf8"

	"collie/node/grid"
)

// A view is a screen as the adapters look at it: rows of text, with the empty
// ones at the end left out.
type view struct {
	Screen
	text []string
	end  int // behind the last row that shows something
}

func newView(s Screen) *view {
	v := &view{Screen: s, text: make([]string, len(s.Rows))}
	for i, row := range s.Rows {
		v.text[i] = strings.TrimRight(strings.ReplaceAll(row.Text(), "\u00a0", " "), " ")
		if v.text[i] != "" {
			v.end = i + 1
		}
	}
	return v
}

// blank reports whether a row shows nothing.
func (v *view) blank(i int) bool { return v.text[i] == "" }

// rule reports a row that is one line from side to side, which may hold a few
// words.
func rule(text string) bool {
	if !strings.HasPrefix(text, "───") {
		return false
	}
	dashes := strings.Count(text, "─")
	return dashes*2 >= utf8.RuneCountInString(text) && !strings.ContainsAny(text, "╭╮╰╯│")
}

// indent is the blanks that a text begins with.
func indent(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// contains reports whether one of the words is in the text.
func contains(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// hasAnyPrefix reports whether the text begins with one of the words.
func hasAnyPrefix(text string, words ...string) bool {
	for _, word := range words {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// typed returns what of a row's text was typed: without the first columns, and
// without what is dimmed, which is a hint.
func typed(row grid.Row, columns int) string {
	var text strings.Builder
	skip, cell, dimmed := columns, "", false
	for _, run := range row.Runs {
		part := run.Text
		for skip > 0 && part != "" {
			_, size := utf8.DecodeRuneInString(part)
			part = part[size:]
			skip--
		}
		look := lookOf(run.Style)
		switch {
		case part == "":
		case look.dim:
			dimmed = true
		case look.inverse && utf8.RuneCountInString(part) == 1:
			cell = part // the cursor: a hint's first character, or one that was typed
		default:
			text.WriteString(cell + part)
			cell = ""
		}
	}
	if !dimmed {
		text.WriteString(cell)
	}
	return strings.TrimRight(strings.ReplaceAll(text.String(), "\u00a0", " "), " ")
}

// A look is what of a style matters to a reader.
type look struct {
	dim, inverse bool
	back         string // the background, as it is written; empty for the default
}

func lookOf(style string) (l look) {
	rest := style
	for rest != "" {
		var code string
		code, rest, _ = strings.Cut(rest, ";")
		switch code {
		case "2":
			l.dim = true
		case "7":
			l.inverse = true
		case "38", "48":
			colour := ""
			colour, rest = colourOf(rest)
			if code == "48" {
				l.back = colour
			}
		default:
			if strings.HasPrefix(code, "48:") || (len(code) == 2 && code[0] == '4' && code[1] < '8') || strings.HasPrefix(code, "10") && len(code) == 3 {
				l.back = code
			}
		}
	}
	return l
}

// colourOf takes the arguments of an extended colour off a style.
func colourOf(rest string) (colour, after string) {
	kind, after, _ := strings.Cut(rest, ";")
	arguments := 1
	if kind == "2" {
		arguments = 3
	}
	colour = kind
	for range arguments {
		var argument string
		argument, after, _ = strings.Cut(after, ";")
		colour += ";" + argument
	}
	return colour, after
}
