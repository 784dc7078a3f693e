package typing

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
	"collie/node/harness"
	"collie/node/status"
)

// A shot is what of a screen matters to a text that is typed.
type shot struct {
	boxed  bool
	owned  bool
	input  *harness.Input // of a program with a box
	text   string         // in the input: of the box, else of the line at the cursor
	typed  string         // of that line, what is before the cursor; a shell may draw something behind it
	alone  bool           // that line is all that counts: a shell's own prompt
	rows   []grid.Row     // they belong to the screen until its next frame
	cursor grid.Cursor
}

// shotIn is the shot of a pane that was looked at.
func shotIn(sight status.Sight) shot {
	s := shotOf(sight.Adapter, sight.Frame.Whole(), sight.Frame)
	s.alone = sight.OwnPrompt(sight.Frame)
	return s
}

func shotOf(a *harness.Adapter, rows []grid.Row, head grid.Frame) shot {
	r := a.Read(harness.Screen{Rows: rows, Cols: head.Cols, Cursor: head.Cursor, Title: head.Title})
	s := shot{boxed: r.Boxed, owned: r.Owned, input: r.Input, rows: rows, cursor: head.Cursor}
	switch {
	case !s.boxed:
		s.text, s.typed = grid.LineAt(rows, head.Cursor), grid.LineBefore(rows, head.Cursor)
	case r.Input != nil:
		s.text = r.Input.Text
	}
	return s
}

// holds reports whether the input shows what it did before with a text behind it,
// and nothing else: a question that has come instead is not the one that the text
// is for.
func (s shot) holds(before shot, text string) bool {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r", "\n"), "\n"), "\n")
	switch {
	case s.boxed != before.boxed:
		return false
	case s.boxed:
		return s.input.Holds(before.input, text)
	case len(lines) > 1:
		return s.holdsLines(before, lines)
	case !s.under(s.cursor, before):
		return false
	case s.cursor.Row < len(s.rows) && grid.LineStart(s.rows, s.cursor) == 0:
		return (&harness.Input{Text: s.text}).Holds(&harness.Input{Text: before.text}, text)
	}
	now := harness.Squeeze(s.text)
	return now == harness.Squeeze(before.text+text) || harness.Squeeze(s.typed) == harness.Squeeze(before.typed+text)
}

// under reports whether the line with a cursor stands below the same rows as the one
// before did. The first of them may have scrolled away since.
func (s shot) under(line grid.Cursor, before shot) bool {
	if before.alone {
		return true
	}
	first, was := grid.LineStart(s.rows, line), grid.LineStart(before.rows, before.cursor)
	return first <= was && was <= len(before.rows) && first <= len(s.rows) &&
		slices.Equal(grid.Still(s.rows[:first]), grid.Still(before.rows[was-first:was]))
}

// holdsLines is holds for several lines that were pasted as one text. A program may
// begin each but the first with a mark of its own that has no letters ("> ", "...").
func (s shot) holdsLines(before shot, lines []string) bool {
	last := s.cursor
	for i, line := range slices.Backward(lines) {
		now, want := harness.Squeeze(grid.LineAt(s.rows, last)), harness.Squeeze(line)
		mark, ok := strings.CutSuffix(now, want)
		switch {
		case i == 0 && !s.under(last, before):
			return false
		case i == 0:
			return now == harness.Squeeze(before.text)+want || harness.Squeeze(grid.LineBefore(s.rows, last)) == harness.Squeeze(before.typed)+want
		case !ok || strings.ContainsFunc(mark, unicode.IsLetter):
			return false
		case grid.LineStart(s.rows, last) == 0: // the first lines have scrolled away
			return utf8.RuneCountInString(harness.Squeeze(strings.Join(lines[i:], ""))) >= harness.LeastTail
		}
		last = grid.Cursor{Row: grid.LineStart(s.rows, last) - 1, Col: before.cursor.Col}
	}
	return false
}

// tookAhead reports whether a text was typed ahead: nothing stood at the cursor
// before, unless the shell is only starting, and now the line has the text, with the
// prompt of the shell that came meanwhile before or behind it.
func (s shot) tookAhead(before shot, text string, starting bool) bool {
	was, now, want := harness.Squeeze(before.text), harness.Squeeze(s.text), harness.Squeeze(text)
	return !s.boxed && !before.boxed && want != "" && (was == "" || starting) && strings.Count(now, want) > strings.Count(was, want)
}

// barePrompt is what a program shows that asks for a line and has none of it yet:
// one word that ends in a mark.
var barePrompt = regexp.MustCompile(`^\S*[>❯›»$%#]$`)

// asks reports whether the line at the cursor shows that none was begun, where
// nobody knows what was typed. An empty one says so where the kernel echoes what
// is typed; of a program that draws it itself, only its prompt does.
func (s shot) asks(echo bool) bool {
	line := strings.TrimRight(s.text, " ")
	return (echo && line == "") || (barePrompt.MatchString(line) && s.cursor.Col > displaywidth.String(line))
}
