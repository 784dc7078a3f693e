//go:build !race

package mask

import (
	"testing"

	"collie/node/grid"
)

const raceEnabled = false

// The race detector drops pooled memory.
func TestNothingIsAllocatedWhereNothingIsHidden(t *testing.T) {
	m := New()
	clean, dense := cleanText(), denseText()
	rows, cursor := screen(false), &grid.Cursor{Row: 3, Col: 5}
	dst, source := make([]byte, 0, 2<<20), []byte(dense)
	for name, run := range map[string]func(){
		"clean text": func() { m.Text(clean, Options{}) },
		"dense text": func() { m.Text(dense, Options{}) },
		"wrapped":    func() { m.Text(clean, Options{Width: 80}) },
		"bytes":      func() { m.Append(dst, source, Options{}) },
		"rows":       func() { m.Rows(rows, nil, cursor) },
	} {
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
