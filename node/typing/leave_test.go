package typing

import (
	"testing"

	"collie/node/grid"
)

// saying is a box with a text in it, below what was said.
func saying(input string, said ...string) shot {
	s := shot{boxed: true, text: input} // no row is one of the input
	for _, row := range said {
		s.rows = append(s.rows, grid.Row{Runs: []grid.Run{{Text: row}}})
	}
	return s
}

func TestATextOfSignsAloneIsSeenAmongWhatWasSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		said []string
		want bool
	}{
		"as it is":           {"???", []string{"???"}, true},
		"behind a mark":      {"???", []string{"> ??? "}, true},
		"a question":         {"?", []string{"Delete it?"}, false},
		"other signs":        {"???", []string{"> !!!"}, false},
		"nothing":            {"", []string{"", "> "}, false},
		"words behind marks": {"- go on", []string{"> - go on"}, true},
	} {
		if got := saying("", c.said...).tells(saying(c.text)); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
