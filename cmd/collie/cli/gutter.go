package cli

import (
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// A marked line is one with the mark of what it is about; the line of the
// headings has none.
type marked struct{ mark, text string }

// Of a narrow terminal the text beside a mark gets minTextCols, while the mark
// keeps minMarkCols.
const (
	minTextCols = 20
	minMarkCols = 6
)

// markedTable prints the rows of a table, whose first line are its headings and
// has no mark.
func (a *app) markedTable(w io.Writer, marks []string, fill func(table io.Writer)) {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fill(table)
	_ = table.Flush()
	var lines []marked
	for i, line := range strings.Split(strings.TrimRight(text.String(), "\n"), "\n") {
		m := marked{text: line}
		if i > 0 {
			m.mark = marks[i-1]
		}
		lines = append(lines, m)
	}
	printMarked(w, columns(a.stdout), lines)
}

// columns is the width of the terminal that a person reads, 0 when there is none.
func columns(w io.Writer) int {
	if !toTerminal(w) {
		return 0
	}
	cols, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return cols
}

// printMarked prints a line for each, with its mark behind it, as scripts and
// pagers want them. On a terminal of cols columns the marks stand in a gutter at
// the left, and a line that is too long is wrapped here with its mark on every
// row: a row without one would pass for what was typed at the console.
func printMarked(w io.Writer, cols int, lines []marked) {
	if cols == 0 {
		for _, line := range lines {
			_, _ = io.WriteString(w, strings.TrimRight(line.text+"  "+line.mark, " ")+"\n")
		}
		return
	}
	width := 0
	for _, line := range lines {
		width = max(width, displaywidth.String(line.mark))
	}
	width = min(width, max(cols-minTextCols-1, minMarkCols))
	for _, line := range lines {
		mark := fitted(line.mark, width)
		for _, row := range wrapped(strings.TrimRight(line.text, " "), max(cols-width-1, 1)) {
			_, _ = io.WriteString(w, strings.TrimRight(mark+" "+row, " ")+"\n")
		}
	}
}

// fitted is text in exactly width columns. A mark that is cut still ends as one.
func fitted(text string, width int) string {
	const end = "…›"
	if displaywidth.String(text) > width {
		text = cells(text, max(width-displaywidth.String(end), 0)) + end
	}
	return text + strings.Repeat(" ", max(width-displaywidth.String(text), 0))
}

// wrapped is text in rows of at most cols columns, broken at a blank where there
// is one. There is always a row.
func wrapped(text string, cols int) []string {
	var rows []string
	for displaywidth.String(text) > cols {
		row := cells(text, cols)
		if row == "" { // a character that is wider than a row
			row = firstOf(text)
		}
		if blank := strings.LastIndexByte(row, ' '); blank > 0 && !strings.HasPrefix(text[len(row):], " ") {
			row = row[:blank]
		}
		rows, text = append(rows, strings.TrimRight(row, " ")), strings.TrimLeft(text[len(row):], " ")
	}
	return append(rows, text)
}

// cells is the longest beginning of text that has at most cols columns.
func cells(text string, cols int) string {
	graphemes := displaywidth.StringGraphemes(text)
	end := 0
	for graphemes.Next() {
		if cols -= graphemes.Width(); cols < 0 {
			break
		}
		end += len(graphemes.Value())
	}
	return text[:end]
}

// firstOf is the first character of text as a person sees it.
func firstOf(text string) string {
	graphemes := displaywidth.StringGraphemes(text)
	if !graphemes.Next() {
		return ""
	}
	return graphemes.Value()
}
