package mirror_test

import (
	"fmt"
	"testing"

	"collie/node/grid"
	"collie/node/mask"
	"collie/node/mirror"
)

// BenchmarkApply is the cost of one frame in which one row of 200 by 50 cells
// changed. Without a mask it is what keeping and comparing the screen costs.
func BenchmarkApply(b *testing.B) {
	for _, test := range []struct {
		name    string
		mask    *mask.Mask
		secrets bool
	}{
		{"unmasked", nil, false},
		{"masked, no secrets", mask.New(), false},
		{"masked, secrets in every fifth row", mask.New(), true},
	} {
		b.Run(test.name, func(b *testing.B) {
			whole := grid.Frame{Cols: 200, Rows: 50, Cursor: grid.Cursor{Row: 49}}
			for i := range whole.Rows {
				row := grid.Row{Runs: []grid.Run{
					{Text: fmt.Sprintf("%04d  if err := server.Listen(ctx, address); err != nil { return fmt.Errorf(", i), Style: "2"},
					{Text: "listen: %w, err) } and ninety columns of what else there is to say about it"},
				}}
				if test.secrets && i%5 == 0 {
					row.Runs = append(row.Runs, grid.Run{Text: " " + token()[:39], Style: "31"})
				}
				whole.Lines = append(whole.Lines, grid.Line{I: i, Row: row})
			}
			m := mirror.New(test.mask, nil)
			if _, err := m.Apply(whole); err != nil {
				b.Fatal(err)
			}
			frames := [2]grid.Frame{whole, whole}
			for i := range frames {
				frames[i].Lines = []grid.Line{{I: 25, Row: grid.Row{Runs: []grid.Run{{Text: fmt.Sprintf("change %d", i)}}}}}
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if out, err := m.Apply(frames[n%2]); err != nil || len(out.Lines) != 1 {
					b.Fatal(len(out.Lines), err)
				}
			}
		})
	}
}
