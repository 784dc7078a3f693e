package standby

import (
	"net/http"

	"collie/node/api"
	"collie/standby/door"
)

// The refusals of this package, one stable code each; see also those of
// standby/door.
var (
	ErrLeadAlive  = api.Refusal(http.StatusConflict, "lead_is_alive", "the lead answers, so nobody takes over")
	ErrLeadSeen   = api.Refusal(http.StatusConflict, "lead_seen", "another machine hears the lead, so it is this one that is cut off")
	ErrNoWitness  = api.Refusal(http.StatusConflict, "no_witness", "no other machine answered: this one may be the one that is cut off")
	ErrSuperseded = api.Refusal(http.StatusConflict, "warrant_superseded", "the lead has named another deputy since, or none")
	ErrNotStored  = api.Refusal(http.StatusInsufficientStorage, "takeover_not_stored", "the decision could not be stored, so nothing has changed")
	ErrNotOpen    = api.Refusal(http.StatusServiceUnavailable, "front_door_not_open", "this machine leads now, and its front door is not open yet: tap again")
	ErrHasDeputy  = api.Refusal(http.StatusConflict, "crew_has_deputy", "the crew has a deputy: let it take over at its standby door")
	ErrNoKey      = api.Refusal(http.StatusConflict, "no_bundle_key", "that member has no key that a bundle could be sealed to")
)

// The refusals of this package that cross the link.
var (
	ErrNotDeputy    = api.ErrNotDeputy
	ErrStatement    = api.ErrStatementRefused
	ErrEquivocation = api.ErrEquivocation
	ErrNotApproved  = api.ErrHandoverRefused
	// ErrDeputyStands comes before anything has changed, ErrDeputyUnheard after the
	// deputy was revoked.
	ErrDeputyStands  = api.ErrDeputyStands
	ErrDeputyUnheard = api.ErrDeputyUnheard
)

// Codes lists every refusal of this room that package api does not have, for the
// documentation.
func Codes() []*api.Error {
	return []*api.Error{
		door.ErrCold, ErrLeadAlive, ErrLeadSeen, ErrNoWitness, ErrSuperseded, ErrNotStored, ErrNotOpen,
		ErrHasDeputy, ErrNoKey,
	}
}
