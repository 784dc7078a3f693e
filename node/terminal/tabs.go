package terminal

import "collie/node/grid"

const tabWidth = 8

// tabStops is one bit a column, for every width that a screen can get.
type tabStops [(grid.MaxCols + 63) / 64]uint64

func (t *tabStops) reset() {
	*t = tabStops{}
	for col := tabWidth; col < grid.MaxCols; col += tabWidth {
		t.set(col, true)
	}
}

func (t *tabStops) at(col int) bool { return t[col/64]&(1<<(col%64)) != 0 }

func (t *tabStops) set(col int, on bool) {
	if on {
		t[col/64] |= 1 << (col % 64)
	} else {
		t[col/64] &^= 1 << (col % 64)
	}
}

// move returns the column of the n-th tab stop after col, or before it when n
// is negative; the edges of the screen are stops too.
func (t *tabStops) move(col, n, cols int) int {
	for ; n > 0 && col < cols-1; n-- {
		for col++; col < cols-1 && !t.at(col); col++ {
		}
	}
	for ; n < 0 && col > 0; n++ {
		for col--; col > 0 && !t.at(col); col-- {
		}
	}
	return col
}
