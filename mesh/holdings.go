package mesh

import "collie/mesh/trust"

// Holdings are what a node says that it holds for a change of lead.
type Holdings struct {
	// Recipient is the age recipient that a bundle for it is sealed to.
	Recipient string `json:"ageRecipient,omitempty"`
	// WarrantGeneration and WarrantRefreshedAt, in milliseconds since 1970, are
	// of its warrant, and BundleCounter is of its bundle; 0 if it holds none.
	WarrantGeneration  uint64 `json:"warrantGeneration,omitempty"`
	WarrantRefreshedAt int64  `json:"warrantRefreshedAt,omitempty"`
	BundleCounter      uint64 `json:"bundleCounter,omitempty"`
	// SecretGeneration is of the crew secret that it holds.
	SecretGeneration uint64 `json:"secretGeneration,omitempty"`
}

// HoldingsOf returns what a node in a crew holds; recipient is of its age key.
func HoldingsOf(crew *trust.Crew, recipient string) Holdings {
	h := Holdings{Recipient: recipient}
	if crew == nil {
		return h
	}
	h.SecretGeneration = crew.SecretGeneration
	if said, some := crew.Warrant.Said(); some {
		h.WarrantGeneration, h.WarrantRefreshedAt = said.Generation, said.RefreshedAt.UnixMilli()
	}
	if crew.Bundle != nil {
		h.BundleCounter = crew.Bundle.Counter
	}
	return h
}
