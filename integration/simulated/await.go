package simulated

import (
	"time"

	"collie/node/api"
)

const (
	// HoldCommand is the argument that makes a test's own binary the holder of a
	// pane; its TestMain has to.
	HoldCommand = "_hold"
	// Patience is how long a condition may take on a loaded machine.
	Patience = 30 * time.Second
)

// AwaitLink waits until the link to another node is up, or is not.
func (n *Node) AwaitLink(other *Node, up bool) {
	n.t.Helper()
	changed, stop := n.endpoint.Watch(other.Identity.Fingerprint())
	defer stop()
	deadline := time.After(Patience)
	for n.Link(other).Up != up {
		select {
		case <-changed:
		case <-deadline:
			n.t.Fatalf("the link from %s to %s is still %+v", n.Name, other.Name, n.Link(other))
		}
	}
}

// AwaitHerd waits until the herd of a lead is as wanted, and returns it.
func (n *Node) AwaitHerd(what string, want func(api.Snapshot) bool) api.Snapshot {
	n.t.Helper()
	var last api.Snapshot
	n.Await(what, func() bool {
		last = n.Herd()
		return want(last)
	})
	return last
}

// Herd is what a phone of a lead sees.
func (n *Node) Herd() api.Snapshot {
	n.t.Helper()
	whole, err := n.Lead.Machine("")
	n.must(err)
	snapshot, err := whole.Snapshot(n.t.Context())
	n.must(err)
	return snapshot
}

// Await waits for a condition that nothing signals.
func (n *Node) Await(what string, want func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(Patience); !want(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Fatalf("%s: never %s", n.Name, what)
		}
	}
}

// MachineOf returns the row of a machine in a herd, or nil.
func MachineOf(herd api.Snapshot, id string) *api.MachineInfo {
	for i := range herd.Machines {
		if herd.Machines[i].ID == id {
			return &herd.Machines[i]
		}
	}
	return nil
}
