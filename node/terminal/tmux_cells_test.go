package terminal

import (
	"fmt"
	"strings"
	"testing"
)

// What tmux captures and what a Screen has are compared as text with its styles
// wherever they change. Both go through the reader below, which knows
// nothing of the emulator.

// What encloses a style in a row; no stream of the tests prints it.
const styleBegin, styleEnd = "⟪", "⟫"

// A look is the style of a piece of text: the words of its attributes, and its
// colours.
type look struct {
	attributes [len(attributeNames)]bool
	underline  string
	colours    [3]string // foreground, background, underline
}

var attributeNames = [...]string{"bold", "faint", "italic", "blink", "reverse", "hidden", "struck", "over"}

func (l look) String() string {
	var words []string
	for i, on := range l.attributes {
		if on {
			words = append(words, attributeNames[i])
		}
	}
	if l.underline != "" {
		words = append(words, "under"+l.underline)
	}
	for i, colour := range l.colours {
		if colour != "" {
			words = append(words, []string{"fg", "bg", "ul"}[i]+colour)
		}
	}
	return styleBegin + strings.Join(words, " ") + styleEnd
}

// apply reads SGR parameters in the forms that tmux and the grid write.
func (l *look) apply(t testing.TB, sgr string) {
	t.Helper()
	parameters := strings.Split(sgr, ";")
	for len(parameters) > 0 {
		n := parameters[0]
		parameters = parameters[1:]
		index := map[string]int{"1": 0, "2": 1, "3": 2, "5": 3, "7": 4, "8": 5, "9": 6, "53": 7, "5:3": 7} // tmux 3.3 writes 53 so
		if i, ok := index[n]; ok {
			l.attributes[i] = true
			continue
		}
		switch n {
		case "", "0":
			*l = look{}
		case "4", "4:1":
			l.underline = "1"
		case "4:2", "4:3", "4:4", "4:5":
			l.underline = n[2:]
		case "39", "49":
			l.colours[n[0]-'3'] = ""
		case "38", "48", "58":
			used := map[string]int{"5": 2, "2": 4}[parameters[0]]
			l.colours[n[0]-'3'] = strings.Join(parameters[1:used], ",")
			parameters = parameters[used:]
		default:
			l.basic(t, n)
		}
	}
}

func (l *look) basic(t testing.TB, n string) {
	t.Helper()
	var code int
	if _, err := fmt.Sscan(n, &code); err != nil {
		t.Fatalf("SGR %q is not known to the test", n)
	}
	switch {
	case code >= 30 && code <= 37:
		l.colours[0] = fmt.Sprint(code - 30)
	case code >= 90 && code <= 97:
		l.colours[0] = fmt.Sprint(code - 90 + 8)
	case code >= 40 && code <= 47:
		l.colours[1] = fmt.Sprint(code - 40)
	case code >= 100 && code <= 107:
		l.colours[1] = fmt.Sprint(code - 100 + 8)
	default:
		t.Fatalf("SGR %q is not known to the test", n)
	}
}

// A styledRow puts a row together.
type styledRow struct {
	out  strings.Builder
	last look
}

func (r *styledRow) add(text string, style look) {
	if text == "" {
		return
	}
	if style != r.last {
		r.out.WriteString(style.String())
		r.last = style
	}
	r.out.WriteString(text)
}

// tmuxRows reads what "capture-pane -e" printed. Styles go on from row to row.
func tmuxRows(t testing.TB, capture string) []string {
	t.Helper()
	var rows []string
	var style look
	graphics := false
	for _, captured := range strings.Split(strings.TrimSuffix(capture, "\n"), "\n") {
		var row styledRow
		for captured != "" {
			switch captured[0] {
			case 0x0e, 0x0f:
				graphics = captured[0] == 0x0e
				captured = captured[1:]
			case esc:
				sgr, rest, ok := strings.Cut(captured, "m")
				if !ok || !strings.HasPrefix(sgr, "\x1b[") {
					t.Fatalf("tmux captured %q", captured)
				}
				style.apply(t, sgr[2:])
				captured = rest
			default:
				end := strings.IndexAny(captured, "\x0e\x0f\x1b")
				if end < 0 {
					end = len(captured)
				}
				row.add(shownAs(captured[:end], graphics), style)
				captured = captured[end:]
			}
		}
		rows = append(rows, row.out.String())
	}
	return rows
}

// shownAs returns text as it looks in a character set. Line graphics are
// written out here once more, so that the test has its own word on them.
func shownAs(text string, graphics bool) string {
	if !graphics {
		return text
	}
	return strings.NewReplacer(
		"`", "◆", "a", "▒", "b", "␉", "c", "␌", "d", "␍", "e", "␊", "f", "°", "g", "±", "h", "␤", "i", "␋",
		"j", "┘", "k", "┐", "l", "┌", "m", "└", "n", "┼", "o", "⎺", "p", "⎻", "q", "─", "r", "⎼", "s", "⎽",
		"t", "├", "u", "┤", "v", "┴", "w", "┬", "x", "│", "y", "≤", "z", "≥", "{", "π", "|", "≠", "}", "£", "~", "·",
		"_", " ",
	).Replace(text)
}

// pictureOf returns what a screen shows.
func pictureOf(t testing.TB, s *Screen) picture {
	t.Helper()
	p := picture{cursor: fmt.Sprintf("%d,%d", s.Cursor().Col, s.Cursor().Row), title: s.Title()}
	for i := range s.rows {
		var row styledRow
		plain := s.Row(i)
		for _, run := range plain.Runs {
			var style look
			style.apply(t, run.Style)
			row.add(run.Text, style)
		}
		p.rows = append(p.rows, row.out.String())
		p.wraps = append(p.wraps, plain.Wrap && i+1 < s.rows && strings.TrimLeft(s.Row(i+1).Text(), " ") != "")
	}
	p.rows = trimmed(p.rows)
	return p
}

// wrapsOf tells from the rows and from the same rows joined which of them went on
// in the next. That a row goes on in a blank one cannot be told.
func wrapsOf(rows, joined []string) []bool {
	wraps := make([]bool, len(rows))
	at := 0
	for _, line := range joined {
		for at < len(rows) {
			line = strings.TrimPrefix(line, rows[at])
			if at++; line == "" {
				break
			}
			wraps[at-1] = strings.TrimLeft(line, " ") != ""
		}
	}
	return wraps
}

// plainRows removes the styles from rows.
func plainRows(rows []string) []string {
	plain := make([]string, len(rows))
	for i, row := range rows {
		var out strings.Builder
		for row != "" {
			text, rest, _ := strings.Cut(row, styleBegin)
			out.WriteString(text)
			_, row, _ = strings.Cut(rest, styleEnd)
		}
		plain[i] = out.String()
	}
	return plain
}

// trimmed leaves out the blanks at the end of rows.
func trimmed(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(row, " "), look{}.String()), " ")
	}
	return out
}

// differences says how a picture differs from that of tmux.
func (p picture) differences(tmux picture) string {
	var out strings.Builder
	compareRows(&out, "row", trimmed(plainRows(p.rows)), trimmed(plainRows(tmux.rows)))
	if p.cursor != tmux.cursor {
		fmt.Fprintf(&out, "cursor at %s, in tmux at %s\n", p.cursor, tmux.cursor)
	}
	if p.title != tmux.title {
		fmt.Fprintf(&out, "title %q, in tmux %q\n", p.title, tmux.title)
	}
	return out.String()
}

func compareRows(out *strings.Builder, what string, got, tmux []string) {
	for i := range max(len(got), len(tmux)) {
		if got, tmux := at(got, i), at(tmux, i); got != tmux {
			fmt.Fprintf(out, "%s %d: %q\n    tmux: %q\n", what, i, got, tmux)
			return // what follows is often moved, and says no more
		}
	}
}

func at(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return "(none)"
}
