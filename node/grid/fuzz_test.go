package grid_test

import (
	"encoding/json"
	"testing"

	"collie/node/grid"
)

// FuzzApply reads frames of a hostile node, the second on top of the first. A
// refused one changes nothing; one that counts is within the bounds and can be
// passed on.
func FuzzApply(f *testing.F) {
	first, _ := json.Marshal(whole())
	for _, seed := range []string{
		`{"cols":10,"rows":3,"lines":[{"i":1,"wrap":true,"runs":[["x","1;2"]]}]}`,
		`{"cols":10,"rows":3,"cursor":{"row":2,"col":9,"visible":true},"title":"t","above":[{"wrap":true,"runs":[]}],"lines":[]}`,
		`{"cols":1,"rows":1,"lines":[{"i":0,"wrap":false,"runs":[["a",""],["b",""]]}]}`,
		`{"cols":10,"rows":3,"lines":[{"i":0,"runs":[["a","","https://example.org/"],["b","","javascript:x"]]}]}`,
		`{"cols":10,"rows":4,"lines":[{"i":0},{"i":1},{"i":2}]}`,
		`{"cols":1e3,"rows":500,"lines":null}`,
		`{"cols":-1,"rows":9223372036854775807,"lines":[{"i":-1}]}`,
		`{"cols":10,"rows":3,"lines":[{"i":0,"runs":[["\u001b[2J",""]]}]}`,
		`{"cols":10,"rows":3,"title":"\ud800","lines":[{"i":2,"runs":[["\u009b","m"]]}]}`,
		`{"cols":10,"rows":3,"lines":[{},{},{}]}`,
		`[]`, `null`, `{"lines":{}}`,
	} {
		f.Add(first, []byte(seed))
		f.Add([]byte(seed), first)
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var screen grid.Screen
		for _, data := range [][]byte{one, two} {
			var frame grid.Frame
			if json.Unmarshal(data, &frame) != nil {
				continue
			}
			before := document(t, &screen)
			_, err := screen.Apply(frame)
			if err != nil {
				if after := document(t, &screen); after != before {
					t.Fatalf("refused with %v, yet the screen went from\n%s\nto\n%s", err, before, after)
				}
				continue
			}
			rows := screen.Rows()
			if len(rows) != frame.Rows || len(rows) > grid.MaxRows {
				t.Fatalf("%d rows for a frame of %d", len(rows), frame.Rows)
			}
			if err := grid.CheckRows(rows); err != nil {
				t.Fatalf("the screen keeps a row that is refused: %v", err)
			}
			again := screen.Head()
			for i, row := range rows {
				again.Lines = append(again.Lines, grid.Line{I: i, Row: row})
			}
			var other grid.Frame
			if err := json.Unmarshal([]byte(mustMarshal(t, again)), &other); err != nil {
				t.Fatal(err)
			}
			if _, err := new(grid.Screen).Apply(other); err != nil {
				t.Fatalf("what it shows cannot be passed on: %v", err)
			}
		}
	})
}
