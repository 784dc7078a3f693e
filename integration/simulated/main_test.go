package simulated

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"collie/node/pane/holder"
)

// TestMain makes the test binary the holder of its panes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == HoldCommand {
		os.Exit(holder.Main(os.Stdin, os.Stdout))
	}
	goleak.VerifyTestMain(m)
}
