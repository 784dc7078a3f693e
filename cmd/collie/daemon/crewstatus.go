package daemon

import (
	"context"
	"time"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/control"
	"collie/node/link"
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
	status.Deputy, status.Unheard, status.Handover = d.deputyStatus(crew), unheardStatus(crew), handoverStatus(crew)
	own := control.CrewMember{
		MemberID: crew.SelfID, Label: crew.SelfLabel, Role: string(crew.Role), State: string(mesh.StateReachable),
		LastSeenAt: control.Time(time.Now()), Build: control.Text(d.options.Build), SecretCurrent: true, Addresses: []string{},
	}
	own.Addresses = append(own.Addresses, d.addresses()...)
	if endpoint := d.roles.endpoint(); endpoint != nil {
		if _, err := endpoint.Fallback(); err != nil {
			own.Hint, own.Reason = link.Attention, control.Text(err.Error())
		}
	}
	if crew.Lead != nil {
		if endpoint := d.roles.endpoint(); endpoint != nil && endpoint.LinkState(crew.Lead.Fingerprint).State == mesh.StateUnenrolled {
			own.SecretCurrent = false
		}
	}
	if said, some := crew.Warrant.Said(); some {
		own.WarrantGeneration = &said.Generation
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
		if m.State == trust.StateRepinPending {
			row.Reason = "repin_pending"
		}
		status.Members = append(status.Members, row)
	}
	return status, nil
}

// describe fills in what the link to a node says.
func (d *daemon) describe(row *control.CrewMember, fp identity.Fingerprint) {
	row.State = string(mesh.StateUnreachable)
	endpoint := d.roles.endpoint()
	if endpoint == nil {
		row.Hint, row.Reason = link.Attention, "the crew link of this machine is not open"
		return
	}
	state := endpoint.LinkState(fp)
	said := link.Advise(state, link.Peer{ID: row.MemberID, Leads: row.Role == "lead", Join: d.joinAddress()}, time.Now())
	row.State, row.Hint, row.Reason = string(state.State), control.Text(said.Hint), control.Text(said.Reason)
	row.Via, row.Build = control.Text(state.Via), control.Text(state.Build)
	row.BuildDiffers = state.Build != "" && state.Build != d.options.Build
	row.LastSeenAt = control.Time(state.SeenAt)
	if held := state.Holdings.WarrantGeneration; held > 0 {
		row.WarrantGeneration = &held
	}
	if state.Up {
		ms := state.RTT.Milliseconds()
		row.RTTMs = &ms
	}
}

// joinAddress is where somebody joins this node's crew, or nothing.
func (d *daemon) joinAddress() string {
	all := d.addresses()
	if crew := d.crew(); crew != nil && crew.Lead != nil {
		all = crew.AddressesOf(crew.Lead.ID)
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// some is a list that is never null.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
