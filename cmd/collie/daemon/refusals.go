package daemon

import (
	"errors"
	"io/fs"
	"net"
	"os"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/standby"
)

// A refusal is an error of the crew with the code that it has for a user.
type refusal struct {
	is   error
	code *api.Error
}

var crewRefusals = [...]refusal{
	{trust.ErrSolo, api.ErrWrongRole},
	{trust.ErrNotLead, api.ErrWrongRole},
	{trust.ErrInCrew, api.ErrWrongRole},
	{trust.ErrHasMembers, api.ErrWrongRole},
	{trust.ErrDevicesLeft, api.ErrUnsaved},
	{trust.ErrRotating, api.ErrWrongRole},
	{trust.ErrNotMember, api.ErrWrongRole},
	{trust.ErrNotEnrolled, api.ErrWrongRole},
	{trust.ErrStaleSecret, api.ErrWrongRole},
	{trust.ErrRestored, api.ErrWrongRole},
	{trust.ErrDeputyStands, standby.ErrDeputyStands},
	{trust.ErrThisNode, api.ErrBadRequest},
	{trust.ErrAmbiguous, api.ErrBadRequest},
	{trust.ErrLabelTaken, api.ErrBadRequest},
	{trust.ErrSelfNamed, api.ErrBadRequest},
	{trust.ErrDoorURL, api.ErrBadRequest},
	{trust.ErrNoMember, api.ErrHostUnknown},
	{trust.ErrAddress, api.ErrBadRequest},
	{trust.ErrLabel, api.ErrBadRequest},
	{trust.ErrInvites, api.ErrBadRequest},
	{mesh.ErrToken, api.ErrBadRequest},
}

// crewError gives a refusal of the crew, or of the disk, its stable code. What is
// none, or has one, stays what it is.
func crewError(err error) error {
	if errors.As(err, new(*api.Error)) {
		return err
	}
	if code := codeOf(err); code != nil {
		return code
	}
	return err
}

func codeOf(err error) *api.Error {
	if unsaved := (*trust.UnsavedError)(nil); errors.As(err, &unsaved) {
		return api.ErrUnsaved.With(unsaved.Error())
	}
	if refused := (*trust.RefusedError)(nil); errors.As(err, &refused) {
		return api.ErrCrewUnavailable.With(refused.Error())
	}
	for _, known := range crewRefusals {
		if errors.Is(err, known.is) {
			return known.code.With(err.Error())
		}
	}
	if errors.Is(err, trust.ErrNotStored) || errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
		return api.ErrCannotStore.With(err.Error())
	}
	return nil
}

// joinError says why a lead could not be joined.
func joinError(err error) error {
	var unknownName *net.DNSError
	switch {
	case errors.Is(err, mesh.ErrNoAnswer):
		return api.ErrOutcomeUnknown.With(err.Error())
	case errors.Is(err, mesh.ErrNoReply), errors.As(err, &unknownName):
		return api.ErrLeadUnreachable.With(err.Error())
	}
	if errors.Is(err, trust.ErrLabelTaken) {
		return api.ErrJoinRefused.With("another machine of the crew is called that: join with another --label")
	}
	if code := codeOf(err); code != nil {
		return code
	}
	return api.ErrJoinRefused.With(err.Error())
}
