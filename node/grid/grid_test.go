package grid_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"collie/node/grid"
)

func row(texts ...string) grid.Row {
	r := grid.Row{}
	for _, text := range texts {
		r.Runs = append(r.Runs, grid.Run{Text: text})
	}
	return r
}

// whole is a frame of 10 by 3 cells that names every row.
func whole() grid.Frame {
	return grid.Frame{Seq: 1, Cols: 10, Rows: 3, Title: "vim", Screen: "h4sh", Lines: []grid.Line{
		{I: 0, Row: row("$ ls")},
		{I: 1, Row: grid.Row{Wrap: true, Runs: []grid.Run{{Text: "a", Style: "1;38:2::1:2:3"}, {Text: "bcdefghij"}}}},
		{I: 2, Row: row("端e\u0301")},
	}}
}

func TestCheckAcceptsWhatAnHonestNodeSends(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*grid.Frame){
		"every row":           func(*grid.Frame) {},
		"no row":              func(f *grid.Frame) { f.Lines = nil },
		"one row":             func(f *grid.Frame) { f.Lines = f.Lines[1:2] },
		"the largest screen":  func(f *grid.Frame) { f.Cols, f.Rows = 1000, 500 },
		"the last cell":       func(f *grid.Frame) { f.Cursor = grid.Cursor{Row: 2, Col: 9} },
		"the longest title":   func(f *grid.Frame) { f.Title = strings.Repeat("é", 256) },
		"the longest hash":    func(f *grid.Frame) { f.Screen = strings.Repeat("h", 128) },
		"the longest row":     func(f *grid.Frame) { f.Lines[0].Row = row(strings.Repeat("x", 32<<10)) },
		"the most runs":       func(f *grid.Frame) { f.Lines[0].Row = row(make([]string, 1000)...) },
		"the longest style":   func(f *grid.Frame) { f.Lines[0].Runs[0].Style = strings.Repeat("1;", 64) },
		"the most rows above": func(f *grid.Frame) { f.Above = make([]grid.Row, 256) },
		"an end in each row":  func(f *grid.Frame) { f.Ends = []grid.Cursor{{Row: 0}, {Row: 1, Col: 10}, {Row: 2}} },
		"no-break space":      func(f *grid.Frame) { f.Lines[0].Row = row("\u00a0") },
	} {
		frame := whole()
		change(&frame)
		if err := frame.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refused are frames that no honest node sends.
var refused = map[string]func(*grid.Frame){
	"no columns":                 func(f *grid.Frame) { f.Cols = 0 },
	"negative rows":              func(f *grid.Frame) { f.Rows = -1 },
	"too wide":                   func(f *grid.Frame) { f.Cols = 1001 },
	"too high":                   func(f *grid.Frame) { f.Rows = 501 },
	"cursor left of the screen":  func(f *grid.Frame) { f.Cursor.Col = -1 },
	"cursor right of the screen": func(f *grid.Frame) { f.Cursor.Col = 10 },
	"cursor above the screen":    func(f *grid.Frame) { f.Cursor.Row = -1 },
	"cursor below the screen":    func(f *grid.Frame) { f.Cursor.Row = 3 },
	"long title":                 func(f *grid.Frame) { f.Title = strings.Repeat("x", 513) },
	"title with an escape":       func(f *grid.Frame) { f.Title = "a\x1b]0;b" },
	"title of two lines":         func(f *grid.Frame) { f.Title = "a\nb" },
	"title that is not UTF-8":    func(f *grid.Frame) { f.Title = "a\xff" },
	"long hash":                  func(f *grid.Frame) { f.Screen = strings.Repeat("x", 129) },
	"hash with a control":        func(f *grid.Frame) { f.Screen = "\x00" },
	"more lines than rows":       func(f *grid.Frame) { f.Rows = 2 },
	"line before the screen":     func(f *grid.Frame) { f.Lines[0].I = -1 },
	"line after the screen":      func(f *grid.Frame) { f.Lines[2].I = 3 },
	"one line twice":             func(f *grid.Frame) { f.Lines[1].I = 0 },
	"lines out of order":         func(f *grid.Frame) { f.Lines[0].I, f.Lines[1].I = 1, 0 },
	"too many rows above":        func(f *grid.Frame) { f.Above = make([]grid.Row, 257) },
	"a bad row above":            func(f *grid.Frame) { f.Above = []grid.Row{row("\x1b[2J")} },
	"end before the screen":      func(f *grid.Frame) { f.Ends = []grid.Cursor{{Row: -1}} },
	"end below the screen":       func(f *grid.Frame) { f.Ends = []grid.Cursor{{Row: 3}} },
	"end right of the screen":    func(f *grid.Frame) { f.Ends = []grid.Cursor{{Col: 11}} },
	"two ends in a row":          func(f *grid.Frame) { f.Ends = []grid.Cursor{{Col: 1}, {Col: 2}} },
	"long row":                   func(f *grid.Frame) { f.Lines[0].Row = row(strings.Repeat("x", 32<<10), "x") },
	"row of too many runs":       func(f *grid.Frame) { f.Lines[0].Row = row(make([]string, 1001)...) },
	"row with an escape":         func(f *grid.Frame) { f.Lines[0].Row = row("a\x1b[31m") },
	"row with a newline":         func(f *grid.Frame) { f.Lines[0].Row = row("a\nb") },
	"row with DEL":               func(f *grid.Frame) { f.Lines[0].Row = row("a\x7f") },
	"row with C1":                func(f *grid.Frame) { f.Lines[0].Row = row("a\u009b31m") },
	"row that is not UTF-8":      func(f *grid.Frame) { f.Lines[0].Row = row("a\xc3") },
	"long style":                 func(f *grid.Frame) { f.Lines[0].Runs[0].Style = strings.Repeat("1", 129) },
	"style with more than SGR":   func(f *grid.Frame) { f.Lines[0].Runs[0].Style = "1m\x1b]52" },
	"style with a space":         func(f *grid.Frame) { f.Lines[0].Runs[0].Style = "1; 2" },
	"new size, a row missing":    func(f *grid.Frame) { f.Cols, f.Lines = 20, f.Lines[:2] },
	"new size, no row":           func(f *grid.Frame) { f.Rows, f.Lines = 2, nil },
}

func TestARefusedFrameChangesNothing(t *testing.T) {
	t.Parallel()
	for name, change := range refused {
		var screen grid.Screen
		if _, err := screen.Apply(whole()); err != nil {
			t.Fatal(err)
		}
		frame := whole()
		frame.Seq, frame.Title = 2, "less"
		frame.Lines[0].Row, frame.Lines[2].Row = row("new"), row("new")
		change(&frame)
		if _, err := screen.Apply(frame); !errors.Is(err, grid.ErrFrame) {
			t.Errorf("%s: error is %v, want ErrFrame", name, err)
		}
		if got, want := document(t, &screen), document(t, applied(t, whole())); got != want {
			t.Errorf("%s changed the screen to\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestRefusalsQuoteNothingOfTheScreen(t *testing.T) {
	t.Parallel()
	for name, change := range refused {
		frame := whole()
		frame.Title, frame.Lines[0].Row = "hunter2", row("hunter2")
		change(&frame)
		if _, err := new(grid.Screen).Apply(frame); err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func applied(t *testing.T, frames ...grid.Frame) *grid.Screen {
	t.Helper()
	screen := new(grid.Screen)
	for _, frame := range frames {
		if _, err := screen.Apply(frame); err != nil {
			t.Fatal(err)
		}
	}
	return screen
}

// document shows all that a screen holds.
func document(t *testing.T, screen *grid.Screen) string {
	t.Helper()
	data, err := json.Marshal(struct {
		Head grid.Frame
		Rows []grid.Row
	}{screen.Head(), screen.Rows()})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func texts(rows []grid.Row) string {
	var all []string
	for _, row := range rows {
		all = append(all, row.Text())
	}
	return strings.Join(all, "/")
}

func TestFramesAddUp(t *testing.T) {
	t.Parallel()
	screen := new(grid.Screen)
	for _, step := range []struct {
		what  string
		frame grid.Frame
		named []int
		rows  string
	}{
		{"the first names every row", whole(), []int{0, 1, 2}, "$ ls/abcdefghij/端e\u0301"},
		{"a later one names what changed", grid.Frame{Cols: 10, Rows: 3, Lines: []grid.Line{{I: 1, Row: row("x")}}}, []int{1}, "$ ls/x/端e\u0301"},
		{"none may have changed", grid.Frame{Cols: 10, Rows: 3, Cursor: grid.Cursor{Row: 1}}, []int{}, "$ ls/x/端e\u0301"},
		{"a new size names every row", grid.Frame{Cols: 12, Rows: 2, Lines: []grid.Line{{I: 0, Row: row("p")}, {I: 1, Row: row("q")}}}, []int{0, 1}, "p/q"},
		{"a row may become empty", grid.Frame{Cols: 12, Rows: 2, Lines: []grid.Line{{I: 0}}}, []int{0}, "/q"},
	} {
		named, err := screen.Apply(step.frame)
		if err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if got := texts(screen.Rows()); got != step.rows {
			t.Errorf("%s: rows are %q, want %q", step.what, got, step.rows)
		}
		if got, want := mustMarshal(t, named), mustMarshal(t, step.named); got != want {
			t.Errorf("%s: it names %s, want %s", step.what, got, want)
		}
		if screen.Head().Cursor != step.frame.Cursor || screen.Head().Lines != nil {
			t.Errorf("%s: the head is not the frame's: %+v", step.what, screen.Head())
		}
	}
}

func TestAScreenIsBounded(t *testing.T) {
	t.Parallel()
	var screen grid.Screen
	frame := grid.Frame{Cols: 1000, Rows: 500, Lines: make([]grid.Line, 500)}
	for i := range frame.Lines {
		frame.Lines[i].I = i
	}
	if _, err := screen.Apply(frame); err != nil {
		t.Fatal(err)
	}
	fat := row(make([]string, 1000)...)
	for i := range fat.Runs {
		fat.Runs[i].Style = strings.Repeat("1", 128)
	}
	full := false
	for i := range frame.Rows { // each frame alone is harmless
		_, err := screen.Apply(grid.Frame{Cols: 1000, Rows: 500, Lines: []grid.Line{{I: i, Row: fat}}})
		if full = full || err != nil; full != (i >= 16<<20/128_000) {
			t.Fatalf("row %d: error is %v", i, err)
		}
	}
	if _, err := screen.Apply(grid.Frame{Cols: 1000, Rows: 500, Lines: []grid.Line{{I: 0, Row: row("x")}}}); err != nil {
		t.Errorf("a full screen takes no smaller row: %v", err)
	}
}

func TestEqualSeesTextStyleAndWrap(t *testing.T) {
	t.Parallel()
	a := grid.Row{Wrap: true, Runs: []grid.Run{{Text: "x", Style: "1"}, {Text: "y", Style: ""}}}
	if !a.Equal(grid.Row{Wrap: true, Runs: []grid.Run{{Text: "x", Style: "1"}, {Text: "y", Style: ""}}}) {
		t.Error("equal rows differ")
	}
	for _, b := range []grid.Row{
		{Wrap: false, Runs: a.Runs},
		{Wrap: true, Torn: true, Runs: a.Runs},
		{Wrap: true, Runs: []grid.Run{{Text: "x", Style: "1"}}},
		{Wrap: true, Runs: []grid.Run{{Text: "x", Style: "1"}, {Text: "z", Style: ""}}},
		{Wrap: true, Runs: []grid.Run{{Text: "x", Style: "1", Link: "https://example.org/"}, {Text: "y", Style: ""}}},
		{Wrap: true, Runs: []grid.Run{{Text: "x", Style: "2"}, {Text: "y", Style: ""}}},
	} {
		if a.Equal(b) {
			t.Errorf("%+v is equal to %+v", a, b)
		}
	}
}

func TestOnlyAddressesOfTheWebAreLinks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://example.org":                        true,
		"http://example.org:8080/a?b=c#d":            true,
		"HTTPS://example.org/%E7%AB%AF":              true,
		"https://[2001:db8::1]/":                     true,
		"":                                           false,
		"example.org":                                false,
		"//example.org":                              false,
		"https:///path":                              false,
		"https:example.org":                          false,
		"javascript:alert(1)":                        false,
		"data:text/html,x":                           false,
		"file:///etc/passwd":                         false,
		"vscode://file/x":                            false,
		"https://you:secret@example.org/":            false,
		"https://bank.example@evil.example/":         false,
		"https://example.org/ x":                     false,
		"https://example.org/\n":                     false,
		"https://example.org/端":                      false,
		"https://example.org\\@evil.example":         false,
		"https://example.org/\"onmouseover":          false,
		"https://example.org/%zz":                    false,
		"https://e.org/" + strings.Repeat("x", 2048): false,
	} {
		if got := grid.IsLink(address); got != want {
			t.Errorf("%.60q is a link: %v, want %v", address, got, want)
		}
	}
}

func TestRowsWithOtherOrTooManyLinksAreRefused(t *testing.T) {
	t.Parallel()
	long := "https://example.org/" + strings.Repeat("x", 2000)
	for name, links := range map[string][]string{
		"another scheme": {"javascript:alert(1)"}, "too many bytes": {long, long, long, long, long},
	} {
		r := grid.Row{}
		for _, link := range links {
			r.Runs = append(r.Runs, grid.Run{Text: "x", Link: link})
		}
		if err := grid.CheckRows([]grid.Row{r}); !errors.Is(err, grid.ErrFrame) || strings.Contains(err.Error(), links[0]) {
			t.Errorf("%s: error %v, want ErrFrame without the link", name, err)
		}
	}
}
