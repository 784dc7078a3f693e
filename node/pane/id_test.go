package pane_test

import (
	"errors"
	"strings"
	"testing"

	"collie/node/pane"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"p1", "%12", "@3", "A.b_c-d", "0", strings.Repeat("x", 64)} {
		if id, err := pane.ParseID(text); err != nil || string(id) != text {
			t.Errorf("%q: %q, %v", text, id, err)
		}
	}
	for _, text := range []string{"", ".", "..", ".x", "-x", "_x", "a/b", "a b", "a\n", "é", "a\x00", strings.Repeat("x", 65)} {
		if id, err := pane.ParseID(text); !errors.Is(err, pane.ErrID) || id != "" {
			t.Errorf("%q: %q, %v, want ErrID", text, id, err)
		}
	}
}
