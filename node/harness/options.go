package harness

import (
	"strconv"
	"strings"
)

// marks stand before the option that is chosen.
const marks = "❯›●▶▸•>"

// A line of a numbered list.
type item struct {
	marked bool
	number int
	label  string
	column int // of the number
}

// itemOf reads a row as a numbered option: "❯ 1. Yes".
func itemOf(text string) (item, bool) {
	it := item{column: indent(text)}
	rest := strings.TrimLeft(text, " ")
	for _, mark := range marks {
		if after, ok := strings.CutPrefix(rest, string(mark)+" "); ok {
			trimmed := strings.TrimLeft(after, " ")
			it.marked, it.column, rest = true, it.column+2+len(after)-len(trimmed), trimmed
			break
		}
	}
	digits := 0
	for digits < len(rest) && digits < 2 && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits == 0 || !strings.HasPrefix(rest[digits:], ". ") {
		return item{}, false
	}
	it.number, _ = strconv.Atoi(rest[:digits])
	it.label = strings.TrimSpace(rest[digits+2:])
	return it, it.number > 0 && it.label != ""
}

// A list is a numbered list of options at the end of what a screen shows.
type list struct {
	options     []Option
	first, last int // rows
}

// list reads the numbered options that end before row end. text gives a row
// without its frame. Rows below an option that are set further in belong to it;
// rules between options are left out. It is false unless the numbers run from 1
// without a gap and at most one is marked.
func (v *view) list(end int, text func(int) string) (l list, ok bool) {
	var below []string // rows that go on the option above them, the last first
	want, column, marked := 0, -1, 0
	for i := end - 1; i >= 0 && end-i <= maxDialogRows; i-- {
		row := text(i)
		it, is := itemOf(row)
		switch {
		case is && (want == 0 || it.number == want) && (column < 0 || it.column == column):
			if want == 0 {
				want, column, l.last = it.number, it.column, i+len(below)
			}
			o := Option{ID: strconv.Itoa(it.number), Label: it.label, Marked: it.marked}
			o.goOn(below, len(strings.TrimRight(row, " ")), v.Cols)
			below = below[:0]
			if it.marked {
				marked++
			}
			l.options = append(l.options, o)
			if want--; want == 0 {
				l.first = i
				for a, b := 0, len(l.options)-1; a < b; a, b = a+1, b-1 {
					l.options[a], l.options[b] = l.options[b], l.options[a]
				}
				return l, marked <= 1 && len(l.options) >= 2
			}
		case rule(strings.TrimSpace(row)):
		case row == "" && len(below) == 0:
		case row != "" && len(below) < maxOptionRows && indent(row) >= 2:
			below = append(below, strings.TrimSpace(row))
		default:
			return list{}, false
		}
	}
	return list{}, false
}

// goOn adds the rows below an option to it: more of the label where its row was
// full, else what is said of it. rows come last first.
func (o *Option) goOn(rows []string, length, cols int) {
	for i := len(rows) - 1; i >= 0; i-- {
		word, _, _ := strings.Cut(rows[i], " ")
		if o.Detail == "" && length+1+len(word) >= cols-4 {
			o.Label += " " + rows[i]
			length = len(rows[i])
			continue
		}
		o.Detail = strings.TrimSpace(o.Detail + " " + rows[i])
	}
}

// judge says which options answer for the future and which say no, and leaves
// out those that cannot be answered by one key.
func (p *Prompt) judge(l *Layout) {
	if p == nil {
		return
	}
	kept := p.Options[:0]
	for _, o := range p.Options {
		if !o.Own && hasAnyPrefix(o.Label, l.Skip...) {
			continue
		}
		o.Always = contains(strings.ToLower(o.Label), l.Always...)
		o.Deny = hasAnyPrefix(strings.ToLower(o.Label), l.Deny...)
		kept = append(kept, o)
	}
	p.Options = kept
}

// join makes one text of rows. A row that is full goes on in the next without a
// break when the program broke it in the middle of a word.
func join(rows []string) string {
	return strings.Trim(strings.Join(rows, "\n"), "\n ")
}

// paragraph returns the first row of the text that ends before row end, and that
// end without the empty rows.
func (v *view) paragraph(end, top int, text func(int) string) (first, last int) {
	last = end - 1
	for last > top && text(last) == "" {
		last--
	}
	first = last
	for first-1 > top && text(first-1) != "" {
		first--
	}
	return first, last
}
