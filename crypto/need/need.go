// Package need is how a test says what it needs of the machine that it runs on: a
// program, root, time. Without it the test is skipped, by name of what is missing;
// where CI runs it fails instead, because a test that is passed over there holds
// nothing. It is the one place that skips, and for tests alone.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns where a program is.
func Program(t testing.TB, name string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "the program "+name)
	}
	return path
}

// Root is for what only root may do, in words that go on "the right …".
func Root(t testing.TB, to string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "the right "+to)
	}
}

// Time is for a test that waits, and that -short leaves out.
func Time(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		Missing(t, "the time for "+what+" (-short)")
	}
}

// Missing ends a test for which this machine lacks something.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing, and CI skips nothing", what)
	}
	t.Skipf("%s is missing", what)
}
