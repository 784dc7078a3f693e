package mask

import (
	"slices"

	"collie/node/grid"
)

// unlink takes the links off those runs that hide something, and those that hold
// what would be hidden as text: nobody follows an address with marks in it. Rows
// are as they came, masked what became of them.
func (m *Mask) unlink(rows, masked []grid.Row, found bool) ([]grid.Row, bool) {
	for i, row := range rows {
		own := false
		for j, run := range row.Runs {
			if run.Link == "" || masked[i].Runs[j].Text == run.Text && !m.finds(run.Link) {
				continue
			}
			if !found {
				masked, found = slices.Clone(rows), true
			}
			if !own {
				masked[i].Runs, own = slices.Clone(masked[i].Runs), true
			}
			masked[i].Runs[j].Link = ""
		}
	}
	return masked, found
}

func (m *Mask) finds(text string) bool {
	_, found := m.Text(text, Options{})
	return found
}
