package grid_test

import (
	"encoding/json"
	"errors"
	"testing"

	"collie/node/grid"
)

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRunsAreWrittenAsPairs(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`["ls","1;38;5;2"]`:                         grid.Run{Text: "ls", Style: "1;38;5;2"},
		`["\"\\端","  "]`:                            grid.Run{Text: "\"\\端", Style: "  "},
		`["docs","4","https://example.org/"]`:       grid.Run{Text: "docs", Style: "4", Link: "https://example.org/"},
		`{"wrap":false,"runs":[]}`:                  grid.Row{},
		`{"wrap":true,"runs":[["a",""],["b","7"]]}`: grid.Row{Wrap: true, Runs: []grid.Run{{Text: "a", Style: ""}, {Text: "b", Style: "7"}}},
		`{"wrap":false,"torn":true,"runs":[]}`:      grid.Row{Torn: true},
		`{"i":12,"wrap":false,"runs":[["a",""]]}`:   grid.Line{I: 12, Row: row("a")},
		`{"i":0,"wrap":false,"runs":[]}`:            &grid.Line{},
	} {
		if got := mustMarshal(t, v); got != want {
			t.Errorf("wrote %s, want %s", got, want)
		}
	}
}

func TestAFrameReadsAsItWasWritten(t *testing.T) {
	t.Parallel()
	frame := whole()
	frame.Above = []grid.Row{row("<&>\u2028"), {Wrap: true}}
	frame.Ends = []grid.Cursor{{Row: 1, Col: 3}}
	frame.Echo, frame.Masked, frame.Cursor = true, true, grid.Cursor{Row: 2, Col: 9, Visible: true}
	written := mustMarshal(t, frame)
	var read grid.Frame
	if err := json.Unmarshal([]byte(written), &read); err != nil {
		t.Fatal(err)
	}
	if again := mustMarshal(t, read); again != written {
		t.Errorf("read and written again it is\n%s\nwant\n%s", again, written)
	}
	if len(read.Ends) != 1 || read.Ends[0] != frame.Ends[0] || read.Above[0].Text() != "<&>\u2028" || read.Lines[1].I != 1 || !read.Lines[1].Wrap || read.Lines[1].Runs[0].Style != "1;38:2::1:2:3" {
		t.Errorf("read %+v", read)
	}
}

func TestOtherFormsOfARunAreRefused(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`null`, `"a"`, `{}`, `{"Text":"a","Style":""}`, `[]`, `["a"]`, `["a","",""]`, `["a",1]`, `[["a"],""]`} {
		var run grid.Run
		if err := json.Unmarshal([]byte(data), &run); !errors.Is(err, grid.ErrFrame) || run != (grid.Run{}) {
			t.Errorf("%s: run %+v, error %v, want ErrFrame", data, run, err)
		}
	}
}
