package standby

import (
	"context"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/link"
)

// Peers reaches the other nodes of the crew. It is the only way in which this
// package speaks to them, so that a test can stand in for the network.
type Peers interface {
	// Call makes one exchange with a peer on one of the routes of this package.
	// It refuses at once while there is no link. Its errors are those of
	// link.Call.
	Call(ctx context.Context, peer identity.Fingerprint, route string, in, out any) error
	// Ask says hello to a peer, dialling it if need be, and returns nil once it
	// answered; mesh.Answered reads its errors.
	Ask(ctx context.Context, peer trust.Peer) error
	// Link returns what is known about the link to a peer: Up, State, Holdings
	// and SeenAt of it count here.
	Link(peer identity.Fingerprint) mesh.Link
}

// linked are the peers behind an endpoint.
type linked struct{ endpoint *mesh.Endpoint }

// Over returns the peers that an endpoint reaches.
func Over(endpoint *mesh.Endpoint) Peers { return linked{endpoint} }

func (l linked) Call(ctx context.Context, peer identity.Fingerprint, route string, in, out any) error {
	return link.Call(ctx, l.endpoint.RoundTripper(peer), route, in, out)
}

func (l linked) Ask(ctx context.Context, peer trust.Peer) error {
	return l.endpoint.Ask(ctx, peer.Fingerprint, peer.Addresses)
}

func (l linked) Link(peer identity.Fingerprint) mesh.Link { return l.endpoint.LinkState(peer) }
