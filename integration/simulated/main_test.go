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

// newPair is the lead barn and its member atlas, on a network of their own.
func newPair(t testing.TB, o Options) (network *Network, lead, atlas *Node) {
	t.Helper()
	network = new(Network)
	lead = NewLead(t, network, "barn")
	return network, lead, NewMember(t, network, lead, "atlas", o)
}

// newCrew is newPair with a further member, juno.
func newCrew(t testing.TB, o Options) (network *Network, lead, atlas, juno *Node) {
	t.Helper()
	network, lead, atlas = newPair(t, o)
	return network, lead, atlas, NewMember(t, network, lead, "juno", o)
}
