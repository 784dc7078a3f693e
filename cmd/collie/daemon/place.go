package daemon

import (
	"context"
	"strings"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

// crewRename gives a member, this lead or the crew another name. The others hear
// of it with the next beat.
func (d *daemon) crewRename(ctx context.Context, call *control.Call) (any, error) {
	var request control.Rename
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	var id string
	rename := func(old *trust.Crew) (*trust.Crew, error) {
		if request.MemberID == "" {
			return trust.RenameCrew(old, request.Label)
		}
		return trust.Rename(old, id, request.Label)
	}
	return d.alone(ctx, func() (_ any, err error) {
		if id, err = d.meant(request.MemberID); err != nil {
			return nil, err
		}
		if _, err := rename(d.crew()); err != nil {
			return nil, crewError(err)
		}
		err = d.update("crew.rename", audit.Text(strings.TrimSpace(id+" "+request.Label)), rename)
		return control.OK{OK: err == nil}, err
	})
}

// crewSetAddress notes where a node of the crew is found: this one, which tells
// the others with the next beat, or another one, which is dialled there at once.
func (d *daemon) crewSetAddress(ctx context.Context, call *control.Call) (any, error) {
	var request control.Addresses
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return d.alone(ctx, func() (any, error) {
		id, err := d.meant(call.Param("id"))
		if err != nil {
			return nil, err
		}
		if err := d.setAddresses("crew.set-address", id, request.Addresses); err != nil {
			return nil, err
		}
		all := d.crew().AddressesOf(id)
		if id == d.crew().SelfID {
			all = d.addresses()
		}
		return control.Addresses{MemberID: id, Addresses: some(all)}, nil
	})
}

func (d *daemon) setAddresses(action, id string, addresses []string) error {
	crew := d.crew()
	if crew != nil && id == crew.SelfID {
		if err := trust.CheckAddresses(addresses); err != nil {
			return crewError(err)
		}
		return d.node.Admitted(entryOf(action, audit.Text(id+" "+strings.Join(addresses, " "))), func() error {
			if len(addresses) == 0 {
				return d.told.forget()
			}
			return d.told.set(addresses)
		})
	}
	change := func(old *trust.Crew) (*trust.Crew, error) { return trust.SetAddresses(old, id, addresses) }
	if _, err := change(crew); err != nil {
		return crewError(err)
	}
	return d.update(action, audit.Text(id+" "+strings.Join(addresses, " ")), change)
}

// reconnect looks for the lead at once, also where the operator says that it is
// now, and waits until it has answered.
func (d *daemon) reconnect(ctx context.Context, call *control.Call) (any, error) {
	var request control.Addresses
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	return d.alone(ctx, func() (any, error) {
		crew := d.crew()
		switch {
		case crew == nil:
			return nil, crewError(trust.ErrSolo)
		case crew.Lead == nil:
			return nil, crewError(trust.ErrNotMember)
		}
		if len(request.Addresses) > 0 {
			if err := d.setAddresses("crew.reconnect", crew.Lead.ID, request.Addresses); err != nil {
				return nil, err
			}
		}
		endpoint := d.roles.endpoint()
		if endpoint == nil {
			return nil, api.ErrCrewUnavailable.With("the crew link of this machine is not open")
		}
		endpoint.Wake()
		if link := awaitBeat(ctx, endpoint, crew); link.State != mesh.StateReachable {
			return nil, api.ErrLeadUnreachable.With(link.Reason)
		}
		return control.Reconnected{Lead: crew.Lead.ID, Addresses: some(d.crew().AddressesOf(crew.Lead.ID))}, nil
	})
}

// awaitBeat waits until the lead has answered a hello, or waiting will not help,
// and returns what is known of the link then. That a link is there is not enough:
// on a machine that moved it may be dead, and not known to be.
func awaitBeat(ctx context.Context, endpoint *mesh.Endpoint, crew *trust.Crew) mesh.Link {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	look := time.NewTicker(reconnectLook)
	defer look.Stop()
	for began := time.Now(); ; {
		link := endpoint.LinkState(crew.Lead.Fingerprint)
		if link.Up && link.SeenAt.After(began) {
			return link
		}
		select {
		case <-ctx.Done():
			if link.State == mesh.StateReachable { // and yet it says nothing
				link.State, link.Reason = mesh.StateUnreachable, mesh.ErrMissedBeats.Error()
			}
			return link
		case <-look.C:
		}
	}
}
