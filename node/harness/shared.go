package harness

import (
	"strings"
	"unicode/utf8"
)

// edge returns the nearest row above i that is a rule or the edge of a frame, or
// -1.
func (v *view) edge(i int) int {
	for i--; i >= 0; i-- {
		if rule(v.text[i]) || hasAnyPrefix(v.text[i], "╭──", "╰──") {
			return i
		}
	}
	return -1
}

// unframed returns a row without the sides of a round frame.
func unframed(text string) string {
	if !strings.HasPrefix(text, "│") {
		return text
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "│"), " ")
	return strings.TrimRight(strings.TrimSuffix(text, "│"), " ")
}

// input makes an input of rows; their first columns are its mark.
func (v *view) input(first, last, columns int) *Input {
	rows := make([]string, 0, last-first+1)
	for i := first; i <= last; i++ {
		row := typed(v.Rows[i], columns)
		if columns > 2 {
			row = strings.TrimRight(strings.TrimSuffix(row, "│"), " ")
		}
		for _, more := range []string{" ↑", " ↓"} {
			row = strings.TrimRight(strings.TrimSuffix(row, more), " ")
		}
		rows = append(rows, row)
	}
	in := &Input{Text: join(rows), first: first, last: last}
	return in
}

// prompt makes a question of a list of options: the nearest paragraph above them
// that has a question mark asks, or where none has, the nearest. Everything else
// between row top and the options is what it asks about.
func (v *view) prompt(l list, top int, text func(int) string) *Prompt {
	p := &Prompt{Options: l.options, first: top + 1, last: l.last}
	first, last := v.paragraph(l.first, top, text)
	for at, end := first, last; at > top && end >= at; at, end = v.paragraph(at, top, text) {
		if contains(v.subject(at, end+1, text), "?", "？") {
			first, last = at, end
			break
		}
	}
	if first > top && last >= first {
		p.Question = flat(v.subject(first, last+1, text))
		p.Subject = strings.Trim(v.subject(top+1, first, text)+"\n\n"+v.subject(last+1, l.first, text), "\n")
	}
	return p
}

// subject joins rows into one text, each without the blanks that all of them
// begin with.
func (v *view) subject(first, end int, text func(int) string) string {
	var rows []string
	least := -1
	for i := first; i < end; i++ {
		row := text(i)
		if i > first && v.Rows[i-1].Wrap { // the terminal broke it, not the program
			rows[len(rows)-1] += row
			continue
		}
		rows = append(rows, row)
		if row != "" && (least < 0 || indent(row) < least) {
			least = indent(row)
		}
	}
	for i, row := range rows {
		rows[i] = row[min(max(least, 0), len(row)):]
	}
	return join(rows)
}

// flat makes one line of rows that a program has broken.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func (l list) marked() int {
	for i, o := range l.options {
		if o.Marked {
			return i
		}
	}
	return -1
}

// ticks reports a list of which several can be chosen.
func (l list) ticks() bool {
	for _, o := range l.options {
		if hasAnyPrefix(o.Label, "[ ]", "[x]", "[✓]", "[✔]", "[•]", "☐ ", "☑ ", "☒ ", "◯ ", "◉ ") {
			return true
		}
	}
	return false
}

// digits says that the number of an option answers at once.
func (p *Prompt) digits() *Prompt {
	for i := range p.Options {
		if id := p.Options[i].ID; len(id) == 1 {
			p.Options[i].Key = id
		} else {
			p.Options[i].Next, p.Options[i].Back = "Down", "Up"
		}
	}
	return p
}

// moves says that these keys move the mark, and that Enter takes the marked one.
func (p *Prompt) moves(next, back string) *Prompt {
	for i := range p.Options {
		p.Options[i].Next, p.Options[i].Back = next, back
	}
	return p
}

// spinning reports a title that begins with a turning dot of braille.
func spinning(title string) bool {
	first, _ := utf8.DecodeRuneInString(title)
	return first > 0x2800 && first <= 0x28ff
}
