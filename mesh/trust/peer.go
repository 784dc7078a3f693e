package trust

import (
	"iter"
	"slices"

	"collie/crypto/identity"
)

// A Peer is a pin of another node. Its addresses are hints, never who it is.
type Peer struct {
	ID          string               `json:"memberId"`
	Label       string               `json:"label"`
	Fingerprint identity.Fingerprint `json:"fingerprint"`
	Certificate []byte               `json:"cert"` // DER
	Addresses   []string             `json:"addresses,omitempty"`
}

// A Lead is a member's pin of its lead.
type Lead = Peer

// Peer returns what of a member's entry is its pin.
func (m Member) Peer() Peer {
	return Peer{ID: m.ID, Label: m.Label, Fingerprint: m.Fingerprint, Certificate: m.Certificate, Addresses: m.Addresses}
}

// Grade returns what the holder of a fingerprint is. A nil Crew knows nobody.
func (c *Crew) Grade(fp identity.Fingerprint) Grade {
	_, grade := c.Pin(fp)
	return grade
}

// Pin returns the member id and the grade of a fingerprint. A nil Crew, and one
// that was deposed, knows nobody. The id of a former lead is the one that was
// told, perhaps none.
func (c *Crew) Pin(fp identity.Fingerprint) (memberID string, grade Grade) {
	if c == nil {
		return "", GradeNone
	}
	for peer, grade := range c.Peers() {
		if !peer.Fingerprint.Equal(fp) {
			continue
		}
		if grade == GradeWitness && c.endOf(fp) > 0 {
			return peer.ID, GradeEnded // it is a witness once it has heard that it is no deputy
		}
		return peer.ID, grade
	}
	if c.Role == RoleMember {
		for _, change := range c.Chain {
			if change.FormerID != c.SelfID && identity.FingerprintOf(change.FormerCertificate).Equal(fp) {
				return change.FormerID, GradeFormer
			}
		}
	}
	for _, e := range c.Ended {
		if e.Fingerprint.Equal(fp) {
			return e.ID, GradeEnded
		}
	}
	return "", GradeNone
}

// Peers goes through every pin that may be dialled or may dial, with its grade:
// at a lead its members; at a member the lead, the deputy, the witnesses, and
// those that it still has to tell who leads now. One node may come twice; the
// first grade counts. Former leads and deputies that were ended are not among
// them, because they are told when they come: see Pin.
func (c *Crew) Peers() iter.Seq2[Peer, Grade] {
	return func(yield func(Peer, Grade) bool) {
		if c == nil || c.Role == RoleDeposed {
			return
		}
		if c.Lead != nil && !yield(*c.Lead, GradeLead) {
			return
		}
		for _, m := range c.Members {
			grade := GradeUnconfirmed
			if m.State == StateEnrolled {
				grade = GradeMember
			}
			if !yield(m.Peer(), grade) {
				return
			}
		}
		if c.Role != RoleMember {
			return
		}
		if w := c.Warrant; w != nil && w.Deputy != nil && w.Deputy.ID != c.SelfID && !yield(*w.Deputy, GradeDeputy) {
			return
		}
		if c.Bundle != nil {
			for _, p := range c.Bundle.Witnesses {
				if !yield(p, GradeWitness) {
					return
				}
			}
		}
		for _, p := range c.ToTell {
			if !yield(p, GradeFormer) {
				return
			}
		}
	}
}

// without returns peers less the one of a fingerprint.
func without(peers []Peer, fp identity.Fingerprint) []Peer {
	return slices.DeleteFunc(slices.Clone(peers), func(p Peer) bool { return p.Fingerprint == fp })
}
