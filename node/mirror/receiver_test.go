package mirror_test

import (
	"fmt"
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/grid/ends"
	"collie/node/mask"
	"collie/node/mirror"
	"collie/node/terminal"
)

// body is a made-up secret behind its vendor's prefix.
const body = "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcAeUiO"

func token() string { return "ghp" + "_" + body }

func dots(n int) string { return strings.Repeat("•", n) }

// A receiver is what a phone has: the sum of the frames that reached it.
type receiver struct {
	t      *testing.T
	source grid.Screen // of the program, with
	ends   ends.Tracker
	mirror *mirror.Mirror
	screen grid.Screen
}

func watch(t *testing.T, m *mask.Mask) *receiver {
	return &receiver{t: t, mirror: mirror.New(m, nil)}
}

// see applies a frame and returns what came out of the mirror.
func (r *receiver) see(frame grid.Frame) grid.Frame {
	r.t.Helper()
	changed, err := r.source.Apply(frame)
	if err != nil {
		r.t.Fatal(err)
	}
	r.ends.See(frame.Cols, frame.Rows, changed, func(row int) string { return r.source.Rows()[row].Text() })
	frame.Ends = r.ends.Ends()
	out, err := r.mirror.Apply(frame)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.screen.Apply(out); err != nil {
		r.t.Fatalf("the receiver refuses the frame: %v", err)
	}
	return out
}

func (r *receiver) text() string { return text(r.screen.Rows()) }

func text(rows []grid.Row) string {
	var all []string
	for _, row := range rows {
		all = append(all, row.Text())
	}
	return strings.Join(all, "/")
}

// named shows the rows that a frame names, as "place:text".
func named(frame grid.Frame) string {
	var all []string
	for _, line := range frame.Lines {
		all = append(all, fmt.Sprintf("%d:%s", line.I, line.Text()))
	}
	return strings.Join(all, " ")
}

// frame is a whole screen of 40 columns; a text that ends in \ wraps. The
// cursor is in the last row, left.
func frame(texts ...string) grid.Frame {
	f := grid.Frame{Cols: 40, Rows: len(texts), Cursor: grid.Cursor{Row: len(texts) - 1}}
	for i, row := range rows(texts...) {
		f.Lines = append(f.Lines, grid.Line{I: i, Row: row})
	}
	return f
}

func rows(texts ...string) []grid.Row {
	var all []grid.Row
	for _, text := range texts {
		text, wrap := strings.CutSuffix(text, `\`)
		row := grid.Row{Wrap: wrap}
		if text != "" {
			row.Runs = []grid.Run{{Text: text}}
		}
		all = append(all, row)
	}
	return all
}

// picture is all of a terminal.
func picture(s *terminal.Screen) grid.Frame {
	cols, rows := s.Size()
	f := grid.Frame{Cols: cols, Rows: rows, Cursor: s.Cursor(), Title: s.Title()}
	for i := range rows {
		f.Lines = append(f.Lines, grid.Line{I: i, Row: s.Row(i)})
	}
	for at := s.HistoryLen() - 1; at >= 0 && s.History(at, 1)[0].Wrap; at-- {
		f.Above = append(s.History(at, 1), f.Above...)
	}
	return f
}

// leaks returns a part of the secret that a text shows, or "". Three
// characters are by chance in no text of these tests.
func leaks(text, secret string) string {
	text = strings.ReplaceAll(text, "/", "")
	for i := range len(secret) - 2 {
		if part := secret[i : i+3]; strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

func rowsOf(f grid.Frame) []grid.Row {
	var all []grid.Row
	for _, line := range f.Lines {
		all = append(all, line.Row)
	}
	return all
}
