package web_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// The page must give each character as many cells as the emulator did, or what
// stands behind it is moved.
func TestThePageGivesCharactersTheCellsThatTheEmulatorGives(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("app/cells.js")
	if err != nil {
		t.Fatal(err)
	}
	wide := make(map[rune]bool)
	for _, pair := range regexp.MustCompile(`\[0x([0-9a-f]+), 0x([0-9a-f]+)\]`).FindAllSubmatch(source, -1) {
		from, _ := strconv.ParseInt(string(pair[1]), 16, 32)
		to, _ := strconv.ParseInt(string(pair[2]), 16, 32)
		for r := from; r <= to; r++ {
			wide[rune(r)] = true
		}
	}
	wrong := 0
	for r := rune(0xa0); r <= unicode.MaxRune; r++ {
		if cells := displaywidth.Rune(r); cells > 0 && wide[r] != (cells == 2) && wrong < 40 {
			t.Errorf("%U takes %d cells, and is wide on the page: %v", r, cells, wide[r])
			wrong++
		}
	}
}
