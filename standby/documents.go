package standby

import (
	"collie/mesh"
	"collie/mesh/trust"
)

// The routes of this package on the crew link, below link.Prefix.
const (
	RouteWarrant  = "/warrant"
	RouteBundle   = "/pairing"
	RouteTakeover = "/takeover"
	RouteHandover = "/handover"
)

// A WarrantCall brings a member the lead's warrant; without one it asks for the
// one that the member holds.
type WarrantCall struct {
	Warrant *trust.Warrant `json:"warrant,omitempty"`
}

// A WarrantAnswer is what the member holds now, if it is another one.
type WarrantAnswer struct {
	Stored bool           `json:"stored"`
	Held   *trust.Warrant `json:"held,omitempty"`
}

// A BundleCall brings the deputy its bundle, sealed.
type BundleCall struct {
	Sealed []byte `json:"sealed"`
}

// A BundleAnswer says which bundle the deputy holds now.
type BundleAnswer struct {
	Counter uint64 `json:"counter"`
}

// The phases of a takeover.
const (
	PhaseProbe  = "probe"
	PhaseCommit = "commit"
)

// A TakeoverCall is the deputy's. In the first phase it asks about the lead, by
// its warrant; in the second it shows the chain by which it leads.
type TakeoverCall struct {
	Phase   string            `json:"phase"`
	Warrant *trust.Warrant    `json:"warrant,omitempty"`
	Lead    mesh.ConflictLead `json:"lead,omitzero"`
	Chain   []trust.Change    `json:"chain,omitempty"`
}

// A TakeoverAnswer says in the first phase for how long the member's lead has
// not called it, or that a higher warrant stands.
type TakeoverAnswer struct {
	SilentForMs int64          `json:"silentForMs"`
	Higher      *trust.Warrant `json:"higher,omitempty"`
	Following   bool           `json:"following,omitempty"`
}

// A HandoverCall is one of three. Empty, it is a member's claim of the lead. With
// a chain a former lead tells a member who leads now. With what was handed over a
// former lead brings that to the new one, which may not have got the answer to
// its claim.
type HandoverCall struct {
	Lead   mesh.ConflictLead `json:"lead,omitzero"`
	Chain  []trust.Change    `json:"chain,omitempty"`
	Handed *trust.Handed     `json:"handed,omitempty"`
}

// A HandoverAnswer is what a claim gets: the same each time.
type HandoverAnswer struct {
	Handed *trust.Handed `json:"handed,omitempty"`
}
