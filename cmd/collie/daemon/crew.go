package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	nodetrust "collie/node/trust"
)

const (
	// joinTimeout bounds a join, dialling included.
	joinTimeout = 20 * time.Second
	// openTimeout bounds the wait for the link to open after a change of role.
	openTimeout = 5 * time.Second
	// leaveTimeout bounds telling the lead that a member goes.
	leaveTimeout = 2 * time.Second
)

func (d *daemon) crewRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/crew/status", Anyone: true, Handle: d.crewStatus},
		{Method: http.MethodPost, Path: "/crew/invite", Handle: d.crewInvite},
		{Method: http.MethodPost, Path: "/crew/join", Handle: d.crewJoin},
		{Method: http.MethodPost, Path: "/crew/leave", Handle: d.crewLeave},
		{Method: http.MethodPost, Path: "/crew/members/:id/remove", Handle: d.crewRemove},
	}
}

// change makes one audited change of the crew.
func (d *daemon) change(action, what string, change func(*trust.Crew) (*trust.Crew, error)) error {
	if d.store == nil {
		return api.ErrCrewUnavailable.With(d.refused.Error())
	}
	if err := d.node.Audit.Write(audit.Entry{Action: action, Via: "cli", What: audit.ID(what), Outcome: "accepted"}); err != nil {
		return api.ErrAuditUnavailable
	}
	return crewError(d.store.Update(change))
}

// crewInvite lets one node join. A solo node becomes the lead of a crew of one.
func (d *daemon) crewInvite(ctx context.Context, call *control.Call) (answer any, err error) {
	defer func() { err = d.keepSoloClean(err) }()
	var request control.InviteRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	if err := trust.CheckAddresses(request.Addresses); err != nil {
		return nil, crewError(err)
	}
	if _, err := trust.EnsureIdentity(d.node.Folder.Path(trust.IdentityFileName), rand.Reader, time.Now()); err != nil {
		return nil, err
	}
	token := secret.NewToken(rand.Reader)
	var invite trust.Invite
	err = d.change("crew.invite", "", func(old *trust.Crew) (*trust.Crew, error) {
		crew := old
		var err error
		if crew == nil {
			if crew, err = d.found(); err != nil {
				return nil, err
			}
		}
		crew, invite, err = trust.AddInvite(crew, secret.Hash(token), time.Now())
		return crew, err
	})
	if err != nil {
		return nil, err
	}
	d.roles.tell(request.Addresses)
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	_, own, err := d.roles.link(ctx)
	if err != nil {
		return nil, api.ErrCrewUnavailable.With("the crew link does not open; the log says why")
	}
	addresses := d.roles.addresses()
	document := control.Invite{
		Token: mesh.InviteToken{Secret: token, Lead: own.Fingerprint()}.String(), Addresses: addresses,
		Fingerprint: own.Fingerprint().String(), ExpiresAt: control.Time(invite.ExpiresAt),
	}
	if len(addresses) > 0 {
		document.Join = "collie crew join " + addresses[0] + " -"
	}
	return document, nil
}

// keepSoloClean takes the key away again that a node drew for a crew which it
// then did not enter.
func (d *daemon) keepSoloClean(err error) error {
	if err == nil || d.store == nil || d.crew() != nil {
		return err
	}
	return errors.Join(err, d.discard())
}

// discard deletes what only a node in a crew has.
func (d *daemon) discard() error {
	return errors.Join(
		trust.DiscardIdentity(d.node.Folder.Path(trust.IdentityFileName)),
		atomicfile.Remove(d.node.Folder.Path(resetKeyName)),
	)
}

func (d *daemon) found() (*trust.Crew, error) {
	id, err := statement.NewCrewID(rand.Reader)
	if err != nil {
		return nil, err
	}
	label := d.ownLabel()
	return trust.Found(nil, trust.Founding{ID: id, Name: label, Label: label, Secret: secret.NewKey(rand.Reader)})
}

// ownLabel is what this machine is called in a crew when nobody says otherwise.
func (d *daemon) ownLabel() string {
	label, err := nodetrust.Label(d.options.Config.Get("COLLIE_LABEL"))
	if err != nil {
		label, err = nodetrust.Label(hostname())
	}
	if err != nil {
		return "machine"
	}
	return label
}

// crewJoin makes this node a member of the crew behind an address.
func (d *daemon) crewJoin(ctx context.Context, call *control.Call) (answer any, err error) {
	defer func() { err = d.keepSoloClean(err) }()
	var request control.JoinRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	if request.Label == "" {
		request.Label = d.ownLabel()
	}
	token, err := mesh.ParseInviteToken(request.Token)
	if err == nil {
		err = trust.CheckLabel(request.Label)
	}
	if err == nil {
		err = trust.MayJoin(d.crew(), token.Lead)
	}
	if err != nil {
		return nil, crewError(err)
	}
	own, err := trust.EnsureIdentity(d.node.Folder.Path(trust.IdentityFileName), rand.Reader, time.Now())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	result, err := mesh.Join(ctx, mesh.JoinConfig{
		Address: request.Address, Token: request.Token, Label: request.Label, Addresses: d.dialable(),
		Identity: own, Build: d.options.Build,
	})
	if err != nil {
		return nil, crewError(err)
	}
	err = d.change("crew.join", result.LeadID, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Join(old, result.Joined(request.Label))
	})
	if err != nil {
		return nil, err
	}
	return control.Joined{CrewID: result.CrewID.String(), CrewName: result.CrewName, MemberID: result.MemberID, Lead: result.LeadID}, nil
}

// dialable is where the lead can dial this node: only a fixed address that is
// known before the link opens. A node without one dials out, which is enough.
func (d *daemon) dialable() []string {
	address := d.options.Config.Get("COLLIE_MESH_LISTEN")
	udp, err := net.ResolveUDPAddr("udp", address)
	if err != nil || udp.Port == 0 {
		return nil
	}
	return reachable(udp)
}

// crewLeave makes this node solo again. A lead that cannot be told finds out
// when the link is refused.
func (d *daemon) crewLeave(ctx context.Context, _ *control.Call) (any, error) {
	if crew := d.crew(); crew != nil && crew.Role == trust.RoleMember {
		told, cancel := context.WithTimeout(ctx, leaveTimeout)
		if endpoint, own, err := d.roles.link(told); err == nil {
			if err := d.member.Leave(told, memberCrew(d, endpoint, own)); err != nil {
				d.options.Log.Info("the lead did not hear that this member leaves", "error", err)
			}
		}
		cancel()
	}
	if err := d.change("crew.leave", "", trust.Leave); err != nil {
		return nil, err
	}
	if err := d.discard(); err != nil {
		return nil, err
	}
	return control.OK{OK: true}, nil
}

func (d *daemon) crewRemove(_ context.Context, call *control.Call) (any, error) {
	id := call.Param("id")
	err := d.change("crew.remove", id, func(old *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(old, id) })
	return control.OK{OK: err == nil}, err
}

func (d *daemon) auditEnrolled(m trust.Member, from net.Addr) {
	err := d.node.Audit.Write(audit.Entry{Action: "crew.enroll", Host: m.ID, Via: "crew", What: audit.Text(from.String()), Outcome: "done"})
	if err != nil {
		d.options.Log.Error("an enrolment could not be audited", "member", m.ID, "error", err)
	}
}

// crewError gives a refusal of the crew its stable code.
func crewError(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []struct {
		is     error
		refuse *api.Error
	}{
		{trust.ErrSolo, api.ErrWrongRole}, {trust.ErrNotLead, api.ErrWrongRole}, {trust.ErrInCrew, api.ErrWrongRole},
		{trust.ErrHasMembers, api.ErrWrongRole},
		{trust.ErrNoMember, api.ErrHostUnknown},
		{trust.ErrAddress, api.ErrBadRequest}, {trust.ErrLabel, api.ErrBadRequest}, {mesh.ErrToken, api.ErrBadRequest},
		{mesh.ErrNoReply, api.ErrLeadUnreachable},
	} {
		if errors.Is(err, known.is) {
			return known.refuse.With(err.Error())
		}
	}
	var refused *api.Error
	if errors.As(err, &refused) {
		return err
	}
	return api.ErrJoinRefused.With(err.Error())
}
