package mesh

import (
	"collie/crypto/identity"
	"collie/mesh/trust"
)

// claim is what this node says in a hello to a peer: where it can be dialled,
// and at a lead what the crew and its members are called. So a change reaches
// every peer with the next beat, and those that were away with their first.
func (e *Endpoint) claim(crew *trust.Crew, peer identity.Fingerprint) trust.Claim {
	claim := trust.Claim{Addresses: e.Addresses()}
	if crew.Role == trust.RoleLead {
		id, _ := crew.Pin(peer)
		member, _ := crew.Member(id)
		claim.CrewName, claim.Label, claim.YourLabel = crew.Name, crew.SelfLabel, member.Label
	}
	return claim
}

// learn stores what a peer claims, where that is new. One that claims something
// else every few seconds is listened to now and then.
func (e *Endpoint) learn(l *link, h hello) {
	change := func(old *trust.Crew) (*trust.Crew, error) { return trust.Learn(old, l.peer, h.Claim) }
	crew := e.config.Store.Crew()
	next, err := change(crew)
	if err == nil && next != crew && e.registry.mayLearn(l.peer) {
		err = e.config.Store.Update(change)
	}
	if err != nil { // the next beat says it again
		e.config.Log.Debug("what a peer claims about itself was not stored", "peer", l.peer, "error", err)
	}
}
