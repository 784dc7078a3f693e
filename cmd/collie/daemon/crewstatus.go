package daemon

import (
	"context"
	"time"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/control"
)

// crewStatus says who is in the crew. A lead lists itself and its members; a
// member lists itself and its lead.
func (d *daemon) crewStatus(context.Context, *control.Call) (any, error) {
	crew := d.crew()
	if crew == nil {
		if d.refused != nil {
			return nil, api.ErrCrewUnavailable.With(d.refused.Error())
		}
		return nil, api.ErrWrongRole.With(trust.ErrSolo.Error())
	}
	status := control.CrewStatus{
		Crew: control.CrewRole{ID: crew.ID.String(), Name: crew.Name, Role: string(crew.Role), MemberID: crew.SelfID, Generation: crew.Generation},
	}
	own := control.CrewMember{
		MemberID: crew.SelfID, Label: crew.SelfLabel, Role: string(crew.Role), State: string(mesh.StateReachable),
		LastSeenAt: control.Time(time.Now()), Build: control.Text(d.options.Build), SecretCurrent: true, Addresses: []string{},
	}
	own.Addresses = append(own.Addresses, d.addresses()...)
	if endpoint := d.roles.endpoint(); endpoint != nil {
		if _, err := endpoint.Fallback(); err != nil {
			own.Hint, own.Reason = "attention", control.Text(err.Error())
		}
	}
	status.Members = append(status.Members, own)
	if crew.Lead != nil {
		row := control.CrewMember{MemberID: crew.Lead.ID, Label: crew.Lead.Label, Role: "lead", Addresses: some(crew.AddressesOf(crew.Lead.ID)), SecretCurrent: true}
		d.describe(&row, crew.Lead.Fingerprint)
		status.Members = append(status.Members, row)
	}
	for _, m := range crew.Members {
		row := control.CrewMember{
			MemberID: m.ID, Label: m.Label, Role: "member", Addresses: some(crew.AddressesOf(m.ID)),
			SecretCurrent: m.SecretGeneration == crew.SecretGeneration,
		}
		d.describe(&row, m.Fingerprint)
		status.Members = append(status.Members, row)
	}
	return status, nil
}

// describe fills in what the link to a node says.
func (d *daemon) describe(row *control.CrewMember, fp identity.Fingerprint) {
	row.State = string(mesh.StateUnreachable)
	endpoint := d.roles.endpoint()
	if endpoint == nil {
		row.Hint, row.Reason = "attention", "the crew link of this machine is not open"
		return
	}
	state := endpoint.LinkState(fp)
	row.State, row.Reason, row.Via, row.Build = string(state.State), control.Text(state.Reason), control.Text(state.Via), control.Text(state.Build)
	row.LastSeenAt = control.Time(state.SeenAt)
	if state.State == mesh.StateUnreachable {
		row.Hint = "reconnecting"
	} else if state.State != mesh.StateReachable {
		row.Hint = "attention"
	} else if skew := skewed(state); skew != "" {
		row.Hint, row.Reason = "attention", control.Text(skew)
	}
	if state.Up {
		ms := state.RTT.Milliseconds()
		row.RTTMs = &ms
	}
}

// some is a list that is never null.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
