package member

import (
	"context"
	"errors"
	"fmt"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
	nodetrust "collie/node/trust"
	"collie/node/walky"
)

// uplink is how messages of this machine leave it: through the lead.
type uplink struct {
	member *Member
	crew   Crew
	self   string
	lead   identity.Fingerprint
}

var _ walky.Route = (*uplink)(nil)

func (u *uplink) SelfMember() string { return u.self }

// Who lists the sessions of the other machines, as the lead says them.
func (u *uplink) Who(ctx context.Context) ([]walky.Peer, error) {
	var answer api.WalkyPeers
	err := link.Call(ctx, u.crew.Endpoint.RoundTripper(u.lead), "/walky/who", struct{}{}, &answer)
	if err != nil {
		return nil, err
	}
	for i := range answer.Peers {
		peer := &answer.Peers[i]
		peer.You = false
		for _, text := range []*string{&peer.Label, &peer.Harness, &peer.Status} {
			*text = nodetrust.Clean(*text, api.MaxNameBytes)
		}
	}
	return answer.Peers, nil
}

func (u *uplink) Forward(ctx context.Context, out walky.Outgoing) (walky.Receipt, error) {
	state := u.crew.Store.Crew()
	if state == nil || state.SelfID != u.self {
		return walky.Receipt{}, walky.ErrNotSent
	}
	out.SentAt = u.member.leadNow(u.crew, u.lead)
	envelope, err := walky.Seal(u.crew.Identity, state.ID, state.SelfID, out)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	return link.Send(ctx, u.crew.Endpoint.RoundTripper(u.lead), "/walky/send", out.ID, envelope)
}

// Recall asks the lead, which knows where the message went.
func (u *uplink) Recall(ctx context.Context, _ string, what walky.Recall) (receipt walky.Receipt, err error) {
	err = link.Call(ctx, u.crew.Endpoint.RoundTripper(u.lead), "/walky/recall", what, &receipt)
	return receipt, err
}

// Leave tells the lead that this member goes. The lead may not hear it; the
// member goes all the same.
func (m *Member) Leave(ctx context.Context, crew Crew) error {
	state := crew.Store.Crew()
	if state == nil || state.Lead == nil {
		return trust.ErrSolo
	}
	transport := crew.Endpoint.RoundTripper(state.Lead.Fingerprint)
	err := link.Call(ctx, transport, "/leave", struct{}{}, &api.Done{})
	if errors.Is(err, mesh.ErrRevoked) { // the lead took the pin away before its answer was out
		return nil
	}
	return err
}
