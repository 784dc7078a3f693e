package node

import "testing"

func TestTextHasAppearedOnlyWhenAllOfItCameIntoTheLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, now, text string
		want              bool
	}{
		{"$ ", "$ make test", "make test", true},
		{"$ ", "$ make te", "make test", false},
		{"$ make test", "$ make test", "make test", false}, // it was there before
		{"Deploy", "Deploy", "y", false},
		{"Deploy [y/n] ", "Deploy [y/n] y", "y", true},
		{"", "make testready> ", "make test", true}, // a prompt came behind what was typed ahead
		{"ready> ", "ready> 漢字 仮名", "漢字仮名", true},
		{"> ", "> last", "first\nlast", true},
		{"> ", "> ", "line\n", true}, // its last line is empty
	} {
		if got := appeared(c.before, c.now, c.text); got != c.want {
			t.Errorf("%q, then %q: %q appeared is %t, want %t", c.before, c.now, c.text, got, c.want)
		}
	}
}
