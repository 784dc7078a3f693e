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

// headerLead carries the member id of the lead that the sender follows, or that
// it is.
const headerLead = "Collie-Lead"

// An Allegiance is what a request says of its sender's crew. It is believed only
// where it speaks against the sender.
type Allegiance struct {
	Generation uint64 // 0 is none
	Lead       string // member id; "" is none
}

// AllegianceOf returns what a node in a crew says.
func AllegianceOf(crew *trust.Crew) Allegiance {
	if crew == nil {
		return Allegiance{}
	}
	return Allegiance{crew.Generation, crew.LeadID()}
}

// elsewhere says whether the sender follows another lead than crew does.
func (a Allegiance) elsewhere(crew *trust.Crew) bool { return a.Lead != "" && a.Lead != crew.LeadID() }

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

// ConflictFor says whether a peer is to be answered with a Conflict in the place
// of anything else: a former lead and whoever follows one, at a lead a member
// that follows another one or has not heard of the newest change, and at a member
// a lead that has forgotten that it leads. A deputy that was ended gets the
// warrant that did it as well, here and there. addresses are this node's own.
//
// Generations alone do not tell: a lead that revoked its deputy unheard, and that
// deputy as the lead of its own part, speak of the same one.
func ConflictFor(crew *trust.Crew, peer identity.Fingerprint, says Allegiance, addresses []string) (Conflict, bool) {
	id, grade := crew.Pin(peer)
	switch grade {
	case trust.GradeFormer:
	case trust.GradeEnded:
		if crew.HasHeard(peer, says.Generation) && !says.elsewhere(crew) {
			return Conflict{}, false
		}
	case trust.GradeMember, trust.GradeUnconfirmed:
		m, _ := crew.Member(id)
		unsaid := says.Generation == 0 && m.State != trust.StateRepinPending
		if !says.elsewhere(crew) && (unsaid || says.Generation >= crew.LeadSince()) {
			return Conflict{}, false
		}
	case trust.GradeLead:
		// One that does not know that it leads, and has: an old copy of its state was
		// restored. What is being handed over it cannot know yet.
		if crew.HandedOver != nil || says.Generation == 0 || says.Generation >= crew.LeadSince() {
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
	return ConflictFor(crew, peer, Allegiance{generationOf(header), header.Get(headerLead)}, e.Addresses())
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
