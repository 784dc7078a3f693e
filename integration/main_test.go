// Package integration_test runs several real nodes at once, and a real browser,
// and looks at the whole product from outside.
package integration_test

import (
	"os"
	"testing"

	"collie/integration/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveProgram()
	os.Exit(code)
}
