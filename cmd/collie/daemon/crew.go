package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/member"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	nodetrust "collie/node/trust"
)

func (d *daemon) crewRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/crew/status", Anyone: true, Handle: d.crewStatus},
		{Method: http.MethodPost, Path: "/crew/invite", Handle: d.crewInvite},
		{Method: http.MethodPost, Path: "/crew/join", Handle: d.crewJoin},
		{Method: http.MethodPost, Path: "/crew/leave", Handle: d.crewLeave},
		{Method: http.MethodPost, Path: "/crew/rotate", Handle: d.crewRotate},
		{Method: http.MethodPost, Path: "/crew/rename", Handle: d.crewRename},
		{Method: http.MethodPost, Path: "/crew/reconnect", Handle: d.reconnect},
		{Method: http.MethodPost, Path: "/crew/members/:id/addresses", Handle: d.crewSetAddress},
		{Method: http.MethodPost, Path: "/crew/members/:id/remove", Handle: d.crewRemove},
	}
}

// alone runs one change of the crew at a time: each reads, draws and discards
// the same files. It refuses while the trust store is not believed, before
// anything is written or sent.
func (d *daemon) alone(ctx context.Context, change func() (any, error)) (any, error) {
	if d.store == nil {
		return nil, api.ErrCrewUnavailable.With(d.refused.Error())
	}
	select {
	case d.changing <- struct{}{}:
		defer func() { <-d.changing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answer, err := change()
	err = crewError(err)
	if err != nil && d.crew() == nil { // a key that was drawn for a crew it did not enter
		err = errors.Join(err, d.discard())
	}
	return answer, err
}

func entryOf(action string, what audit.What) audit.Entry {
	return audit.Entry{Action: action, Via: "cli", What: what}
}

// update makes an audited change.
func (d *daemon) update(action string, what audit.What, change func(*trust.Crew) (*trust.Crew, error)) error {
	return d.node.Admitted(entryOf(action, what), func() error { return crewError(d.store.Update(change)) })
}

// lose makes a change that only takes rights away. An audit log that cannot be
// written does not stop it: who is to go goes, and the log has said so.
func (d *daemon) lose(action string, what audit.What, change func(*trust.Crew) (*trust.Crew, error)) error {
	return d.node.Reported(entryOf(action, what), func() error {
		err := d.store.Update(change)
		if errors.As(err, new(*trust.UnsavedError)) {
			d.options.Log.Error("a change of the crew counts, but is not stored yet", "action", action, "error", err)
		}
		return crewError(err)
	})
}

// again is the answer to a command that finds its change made already: when
// that is not stored yet it is now, or the answer says so once more.
func (d *daemon) again(refused error) (any, error) {
	if d.store.Unsaved() == nil {
		return nil, crewError(refused)
	}
	err := d.store.Flush()
	return control.OK{OK: err == nil}, crewError(err)
}

// settle waits a while until a change of role has taken effect.
func (d *daemon) settle(ctx context.Context) (*part, error) {
	ctx, cancel := context.WithTimeout(ctx, roleTimeout)
	defer cancel()
	return d.roles.settle(ctx)
}

// crewInvite lets one node join. A solo node becomes the lead of a crew of one.
func (d *daemon) crewInvite(ctx context.Context, call *control.Call) (any, error) {
	var request control.InviteRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	if err := trust.CheckAddresses(request.Addresses); err != nil {
		return nil, crewError(err)
	}
	return d.alone(ctx, func() (any, error) { return d.invite(ctx, request) })
}

func (d *daemon) invite(ctx context.Context, request control.InviteRequest) (any, error) {
	if crew := d.crew(); crew != nil && crew.Role != trust.RoleLead {
		return nil, crewError(trust.ErrNotLead)
	}
	if _, err := trust.EnsureIdentity(d.node.Folder.Path(trust.IdentityFileName), rand.Reader, time.Now()); err != nil {
		return nil, err
	}
	founding := d.crew() == nil
	token := secret.NewToken(rand.Reader)
	var invite trust.Invite
	err := d.update("crew.invite", audit.What{}, func(old *trust.Crew) (crew *trust.Crew, err error) {
		if crew = old; crew == nil {
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
	if err := d.told.set(request.Addresses); err != nil {
		return nil, err
	}
	now, err := d.settle(ctx)
	if err != nil || now == nil {
		refused := api.ErrCrewUnavailable.With(fmt.Sprintf("the crew link is not open: %v", err))
		if founding { // a crew that nobody can join is none
			return nil, errors.Join(refused, d.lose("crew.leave", audit.What{}, trust.Leave))
		}
		return nil, refused
	}
	addresses := d.addresses()
	document := control.Invite{
		Token: mesh.InviteToken{Secret: token, Lead: now.identity.Fingerprint()}.String(), Addresses: some(addresses),
		Fingerprint: now.identity.Fingerprint().String(), ExpiresAt: control.Time(invite.ExpiresAt),
	}
	where := "HOST:PORT"
	if len(addresses) > 0 {
		where = addresses[0]
	}
	document.Join = "collie crew join " + where + " -"
	return document, nil
}

// discard deletes what only a node in a crew has.
func (d *daemon) discard() error {
	return errors.Join(
		trust.DiscardIdentity(d.node.Folder.Path(trust.IdentityFileName)),
		atomicfile.Remove(d.node.Folder.Path(resetKeyName)),
		atomicfile.Remove(d.node.Folder.Path(ageKeyName)),
		d.told.forget(),
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
func (d *daemon) crewJoin(ctx context.Context, call *control.Call) (any, error) {
	var request control.JoinRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	if request.Label == "" {
		request.Label = d.ownLabel()
	}
	return d.alone(ctx, func() (any, error) { return d.join(ctx, request) })
}

func (d *daemon) join(ctx context.Context, request control.JoinRequest) (any, error) {
	token, err := mesh.ParseInviteToken(request.Token)
	err = errors.Join(err, trust.CheckAddress(request.Address), trust.CheckLabel(request.Label))
	if err == nil {
		err = trust.MayJoin(d.crew(), token.Lead)
	}
	if err != nil {
		return nil, crewError(err)
	}
	var result mesh.JoinResult
	err = d.node.Admitted(entryOf("crew.join", audit.Text(request.Label)), func() error {
		own, err := trust.EnsureIdentity(d.node.Folder.Path(trust.IdentityFileName), rand.Reader, time.Now())
		if err != nil {
			return crewError(err)
		}
		dialling, cancel := context.WithTimeout(ctx, joinTimeout)
		defer cancel()
		result, err = mesh.Join(dialling, mesh.JoinConfig{
			Address: request.Address, Token: request.Token, Label: request.Label, Addresses: d.dialable(),
			Identity: own, Build: d.options.Build,
		})
		if err != nil {
			return joinError(err)
		}
		return crewError(d.store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined(request.Label)) }))
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.settle(ctx); err != nil { // the node is in; status says what is wrong with its link
		d.options.Log.Warn("the crew link did not open after the join", "error", err)
	}
	return control.Joined{CrewID: result.CrewID.String(), CrewName: result.CrewName, MemberID: result.MemberID, Lead: result.LeadID}, nil
}

// crewLeave makes this node solo again. A lead that cannot be told finds out
// when the link is refused.
func (d *daemon) crewLeave(ctx context.Context, _ *control.Call) (any, error) {
	return d.alone(ctx, func() (any, error) {
		crew := d.crew()
		if _, err := trust.Leave(crew); errors.Is(err, trust.ErrSolo) {
			return d.again(err)
		} else if err != nil {
			return nil, crewError(err)
		}
		if now, _ := d.roles.current(); now != nil && crew.Role == trust.RoleMember {
			if err := d.tellLead(ctx, now); err != nil {
				d.options.Log.Info("the lead did not hear that this member leaves", "error", err)
			}
		}
		left := d.lose("crew.leave", audit.What{}, trust.Leave)
		if left != nil && !errors.Is(left, api.ErrUnsaved) {
			return nil, left
		}
		if _, err := d.settle(ctx); err != nil {
			d.options.Log.Warn("the crew link is still closing", "error", err)
		}
		return control.OK{OK: left == nil}, errors.Join(left, d.discard())
	})
}

// tellLead tells the lead that this member leaves, as soon as the link to it is
// up; it may have been dialled only now.
func (d *daemon) tellLead(ctx context.Context, now *part) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	changed, stop := now.endpoint.Watch(leadOf(now.crew))
	defer stop()
	for now.endpoint.LinkState(leadOf(now.crew)).State != mesh.StateReachable {
		select {
		case <-changed:
		case <-ctx.Done():
			return mesh.ErrUnreachable
		}
	}
	return d.member.Leave(ctx, member.Crew{Store: d.store, Endpoint: now.endpoint, Identity: now.identity})
}

func (d *daemon) crewRemove(ctx context.Context, call *control.Call) (any, error) {
	return d.alone(ctx, func() (any, error) {
		crew := d.crew()
		id, err := d.meant(call.Param("id"))
		if err != nil {
			return nil, err
		}
		own, err := trust.LoadIdentity(d.node.Folder.Path(trust.IdentityFileName))
		if crew != nil && err != nil {
			return nil, crewError(err)
		}
		remove := func(old *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(old, id, own, time.Now()) }
		if _, err := remove(crew); errors.Is(err, trust.ErrNoMember) && slices.Contains(crew.RetiredIDs, id) {
			return d.again(err)
		} else if err != nil {
			return nil, crewError(err)
		}
		d.standby.EndDeputy(ctx, id) // it can be told only while it is a member
		err = d.lose("crew.remove", audit.ID(id), remove)
		return control.OK{OK: err == nil, Pending: d.unheard(ctx)}, err
	})
}

// meant is the id of the node that a person named by id or label. It refuses a
// label of several; what names nobody stays what it is, for the change to refuse.
func (d *daemon) meant(name string) (string, error) {
	id, err := d.crew().Resolve(name)
	switch {
	case errors.Is(err, trust.ErrAmbiguous):
		return "", crewError(err)
	case err != nil:
		return name, nil
	}
	return id, nil
}

func (d *daemon) auditEnrolled(m trust.Member, from net.Addr) {
	err := d.node.Audit.Write(audit.Entry{Action: "crew.enroll", Host: m.ID, Via: "crew", What: audit.Text(from.String()), Outcome: "done"})
	if err != nil {
		d.options.Log.Error("an enrolment could not be audited", "member", m.ID, "error", err)
	}
}
