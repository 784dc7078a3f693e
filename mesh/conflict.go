package mesh

import (
	"fmt"
	"net/http"
	"strconv"

	"collie/crypto/identity"
	"collie/mesh/trust"
)

// headerGeneration carries the generation of the sender's crew: of the newest
// change of lead or warrant that it knows.
const headerGeneration = "Collie-Generation"

// codeConflict is the stable code of a Conflict.
const codeConflict = "lead_conflict"

// A Conflict is what a node answers a peer that does not follow the lead that it
// follows itself: who leads, and the chain of changes that shows it. Nothing in
// it counts for whoever gets it until it has verified the chain from the lead
// that it pins.
type Conflict struct {
	Lead       ConflictLead   `json:"lead"`
	Generation uint64         `json:"generation"`
	Chain      []trust.Change `json:"chain"`
	// Warrant is for a deputy that is one no more: the one that ended it.
	Warrant *trust.Warrant `json:"warrant,omitempty"`
}

// A ConflictLead says who leads and where it is.
type ConflictLead struct {
	MemberID  string   `json:"memberId"`
	Label     string   `json:"label"`
	Addresses []string `json:"addresses"`
}

// A ConflictError says that a peer follows another lead than this node.
type ConflictError struct{ Conflict Conflict }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("it follows another lead: %s, generation %d", e.Conflict.Lead.MemberID, e.Conflict.Generation)
}

// ConflictFor says whether a peer that speaks of a generation, 0 if of none, is
// to be answered with a Conflict in the place of anything else: a former lead
// and whoever follows one, at a lead a member that has not heard of the newest
// change, and at a member a lead that has forgotten that it leads. A deputy that
// was ended gets the warrant that did it as well, here and there. addresses are
// this node's own.
func ConflictFor(crew *trust.Crew, peer identity.Fingerprint, generation uint64, addresses []string) (Conflict, bool) {
	id, grade := crew.Pin(peer)
	switch grade {
	case trust.GradeFormer:
	case trust.GradeEnded:
		if crew.HasHeard(peer, generation) {
			return Conflict{}, false
		}
	case trust.GradeMember, trust.GradeUnconfirmed:
		m, _ := crew.Member(id)
		unsaid := generation == 0 && m.State != trust.StateRepinPending
		if unsaid || generation >= crew.LeadSince() {
			return Conflict{}, false
		}
	case trust.GradeLead:
		// One that does not know that it leads, and has: an old copy of its state was
		// restored. What is being handed over it cannot know yet.
		if crew.HandedOver != nil || generation == 0 || generation >= crew.LeadSince() {
			return Conflict{}, false
		}
	default:
		return Conflict{}, false
	}
	told := Conflict{
		Lead:       ConflictLead{crew.SelfID, crew.SelfLabel, addresses},
		Generation: crew.Generation, Chain: crew.Chain,
	}
	if crew.Lead != nil {
		told.Lead = ConflictLead{crew.Lead.ID, crew.Lead.Label, crew.AddressesOf(crew.Lead.ID)}
	}
	if grade == trust.GradeEnded {
		told.Warrant = crew.PlainWarrant()
	}
	return told, true
}

// conflict is ConflictFor for a request.
func (e *Endpoint) conflict(crew *trust.Crew, peer identity.Fingerprint, header http.Header) (Conflict, bool) {
	return ConflictFor(crew, peer, generationOf(header), e.Addresses())
}

// generationOf returns the generation that a request speaks of, 0 if of none.
func generationOf(header http.Header) uint64 {
	generation, err := strconv.ParseUint(header.Get(headerGeneration), 10, 64)
	if err != nil {
		return 0
	}
	return generation
}

// conflictAnswer is a Conflict on the wire.
type conflictAnswer struct {
	refusal
	Conflict
}

func answerConflict(w http.ResponseWriter, told Conflict) {
	answer(w, http.StatusConflict, conflictAnswer{refusal{Error: "this node follows another lead", Code: codeConflict}, told})
}
