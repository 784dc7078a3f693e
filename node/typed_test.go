package node_test

import (
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/pane"
)

// ownInput is a program that draws an input of its own and leaves the cursor in
// the corner.
const ownInput = `stty raw -echo
draw() { printf '\033[?25l\033[5;1H\033[2K│ > %s \033[7m \033[27m│\033[1;1H' "$typed"; }
draw
printf ready
while c=$(dd bs=1 count=1 2>/dev/null) && [ -n "$c" ]; do typed=$typed$c; draw; done
`

func TestAReadOfAPaneThatNobodyWatchedShowsNoHalfOfASecret(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, ownInput, "ready")
	read := func() string {
		t.Helper()
		shown, err := n.Local().Pane(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var screen grid.Screen
		if _, err := screen.Apply(shown.Frame); err != nil {
			t.Fatal(err)
		}
		return textOf(&screen)
	}
	press := func(text string) {
		t.Helper()
		for _, c := range strings.Split(text, "") {
			if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{c}, Typed: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	name, half := "DB_PASS"+"WORD=", "hunter"
	press(name)
	eventually(t, "the name", func() bool { return strings.Contains(read(), "> "+name+" ") })
	press(half)
	eventually(t, "the marks", func() bool {
		got := read()
		if strings.Contains(got, name+half[:1]) {
			t.Fatalf("shown: %s", got)
		}
		return strings.Contains(got, "> "+name+strings.Repeat("•", len(half))+" ")
	})
}
