package node_test

import (
	"fmt"
	"testing"

	"collie/node"
	"collie/node/pane"
)

// lines is a program that takes lines and records each.
func lines(record string) string {
	return fmt.Sprintf("printf 'ready> '; while IFS= read -r line; do printf '%%s\\n' \"$line\" >> %s; printf 'ready> '; done", record)
}

// raw is a program that reads bytes without a terminal's help, and shows
// nothing of them.
func raw(record string) string {
	return fmt.Sprintf("stty raw -echo; printf 'raw program'; cat >> %s", record)
}

// byByte is a program that reads bytes, records each, and does for each what a
// case says.
func byByte(first, cases string) func(record string) string {
	return func(record string) string {
		return `stty raw -echo; cr=$(printf '\r'); printf '` + first + `'
		while c=$(dd bs=1 count=1 2>/dev/null); do
			printf %s "$c" >>'` + record + `'
			case $c in ` + cases + ` esac
		done`
	}
}

// recording opens a pane with a program that records what it was given.
func recording(t testing.TB, n *node.Node, spec pane.Spec, program func(record string) string, until string) (id string, read func() string) {
	t.Helper()
	path, read := recorder(t)
	return run(t, n, spec, program(path), until), read
}

// given checks what a program has recorded.
func given(t testing.TB, read func() string, want string) {
	t.Helper()
	if got := read(); got != want {
		t.Errorf("the program was given %q, want %q", got, want)
	}
}
