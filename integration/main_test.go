// Package integration_test runs several real nodes at once, and a real browser,
// and looks at the whole product from outside.
package integration_test

import (
	"os"
	"testing"

	"collie/integration/fleet"
	"collie/integration/harness"
	"collie/node/harness/screens"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fleet.Command {
		os.Exit(fleet.Main(os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == screens.PlayCommand {
		os.Exit(screens.Play(os.Args[2:]))
	}
	code := m.Run()
	harness.RemoveProgram()
	os.Exit(code)
}
