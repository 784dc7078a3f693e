package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/control"
	"collie/standby"
)

// successionRoutes are what the control socket answers about who may lead.
func (d *daemon) successionRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodPost, Path: "/crew/deputy", Handle: d.crewDeputy},
		{Method: http.MethodPost, Path: "/crew/approve", Handle: d.crewApprove},
		{Method: http.MethodPost, Path: "/promote", Handle: d.promote},
	}
}

// crewDeputy names the deputy, or nobody.
func (d *daemon) crewDeputy(ctx context.Context, call *control.Call) (any, error) {
	var request control.DeputyRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return d.alone(ctx, func() (any, error) {
		var err error
		if request.MemberID, err = d.meant(request.MemberID); err != nil {
			return nil, err
		}
		named, err := d.nameDeputy(ctx, request)
		if err != nil {
			return nil, crewError(err)
		}
		document := control.Deputy{Generation: named.Generation, Deputy: control.Text(named.Deputy), Members: []control.DeputyMember{}}
		for id, stored := range named.Stored {
			document.Members = append(document.Members, control.DeputyMember{MemberID: id, Stored: stored})
		}
		slices.SortFunc(document.Members, func(a, b control.DeputyMember) int { return strings.Compare(a.MemberID, b.MemberID) })
		return document, nil
	})
}

func (d *daemon) nameDeputy(ctx context.Context, request control.DeputyRequest) (standby.Naming, error) {
	if request.Revoke {
		return d.standby.RevokeDeputy(ctx)
	}
	return d.standby.NameDeputy(ctx, request.MemberID, request.Door)
}

// crewApprove lets a member take the lead within ten minutes, or nobody.
func (d *daemon) crewApprove(ctx context.Context, call *control.Call) (any, error) {
	var request control.ApproveRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return d.alone(ctx, func() (any, error) {
		if request.Cancel {
			err := d.standby.CancelApproval()
			return control.OK{OK: err == nil}, crewError(err)
		}
		id, err := d.meant(request.MemberID)
		if err != nil {
			return nil, err
		}
		approval, err := d.standby.Approve(id)
		if err != nil {
			return nil, crewError(err)
		}
		return control.Approved{MemberID: approval.MemberID, ExpiresAt: control.Time(approval.ExpiresAt)}, nil
	})
}

// promote makes this member the lead.
func (d *daemon) promote(ctx context.Context, call *control.Call) (any, error) {
	var request control.PromoteRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return d.alone(ctx, func() (any, error) {
		if request.Force {
			return d.force(ctx)
		}
		url, err := d.standby.Promote(ctx)
		if err != nil {
			return nil, promoteError(err)
		}
		crew := d.crew()
		return control.Promoted{CrewID: crew.ID.String(), Generation: crew.Generation, URL: url}, nil
	})
}

// force makes this member the lead of a crew of its own.
func (d *daemon) force(ctx context.Context) (any, error) {
	id, err := statement.NewCrewID(rand.Reader)
	if err != nil {
		return nil, err
	}
	before := d.crew()
	founding := trust.Founding{ID: id, Name: d.ownLabel(), Label: d.ownLabel(), Secret: secret.NewKey(rand.Reader)}
	if err := d.standby.Force(ctx, founding); err != nil {
		return nil, crewError(err)
	}
	d.settleDevices()
	if _, err := d.settle(ctx); err != nil {
		d.options.Log.Warn("the crew link of the new crew is not open", "error", err)
	}
	where := "HOST:PORT"
	if addresses := d.addresses(); len(addresses) > 0 {
		where = addresses[0]
	}
	document := control.Promoted{CrewID: id.String(), Generation: d.crew().Generation, URL: d.publicURL}
	document.Rejoin = append(document.Rejoin, "collie crew leave", "collie crew join "+where+" -")
	d.options.Log.Warn("a crew of its own was founded here", "after", before.ID)
	return document, nil
}

// drawKey gives this founder by force a key of its own crew: the one that it had
// is known to the crew before. A crash repeats it, while nobody can have seen the
// new one.
func (d *daemon) drawKey() error {
	path := d.node.Folder.Path(trust.IdentityFileName)
	err := errors.Join(trust.DiscardIdentity(path), atomicfile.Remove(d.node.Folder.Path(resetKeyName)), atomicfile.Remove(d.node.Folder.Path(ageKeyName)))
	if err != nil {
		return err
	}
	if _, err := trust.EnsureIdentity(path, rand.Reader, time.Now()); err != nil {
		return err
	}
	return d.store.Update(trust.KeyDrawn)
}

// promoteError says why a member was not promoted.
func promoteError(err error) error {
	switch {
	case errors.Is(err, mesh.ErrUnreachable):
		return api.ErrLeadUnreachable.With(err.Error())
	case errors.Is(err, mesh.ErrNoAnswer):
		return api.ErrOutcomeUnknown.With("the lead may have handed over: run the command again. " + err.Error())
	}
	return crewError(err)
}

// deputyStatus is the deputy's part of the crew's status.
func (d *daemon) deputyStatus(crew *trust.Crew) *control.CrewDeputy {
	said, some := crew.Warrant.Said()
	if !some || said.NamesNobody() || trust.CheckLive(said, time.Now()) != nil {
		return nil
	}
	_, owed := d.standby.Owed()
	return &control.CrewDeputy{
		MemberID: said.Deputy, Generation: said.Generation, RefreshedAt: control.Time(said.RefreshedAt),
		Door: control.Text(crew.Warrant.Door), Owed: owed,
	}
}

// unheardStatus is the part of the deputies that have yet to hear of their end,
// which the lead alone keeps count of.
func unheardStatus(crew *trust.Crew) []control.CrewEnded {
	all := []control.CrewEnded{}
	if crew.Role != trust.RoleLead {
		return all
	}
	for _, e := range crew.Ended {
		all = append(all, control.CrewEnded{MemberID: e.ID, Generation: e.Generation, Until: control.Time(e.Until)})
	}
	return all
}

// handoverStatus is the approval's part of it.
func handoverStatus(crew *trust.Crew) *control.Approved {
	if crew.Handover == nil || !time.Now().Before(crew.Handover.ExpiresAt) {
		return nil
	}
	return &control.Approved{MemberID: crew.Handover.MemberID, ExpiresAt: control.Time(crew.Handover.ExpiresAt)}
}
