package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"collie/crypto/secret"
	"collie/lead"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

// crewRotate replaces the crew secret and tells it to each member that has a
// link. Nobody is told what is not stored.
func (d *daemon) crewRotate(ctx context.Context, _ *control.Call) (any, error) {
	fresh := secret.NewKey(rand.Reader)
	rotate := func(old *trust.Crew) (*trust.Crew, error) { return trust.Rotate(old, fresh, time.Now()) }
	return d.alone(ctx, func() (any, error) {
		if _, err := rotate(d.crew()); err != nil {
			return nil, crewError(err)
		}
		now, err := d.settle(ctx)
		if err != nil {
			return nil, api.ErrCrewUnavailable.With(err.Error())
		}
		// A secret that is void and a new one that cannot be told cut everybody off.
		if err := d.store.Try(); err != nil {
			return nil, crewError(err)
		}
		err = d.update("crew.rotate", audit.What{}, rotate)
		if errors.Is(err, api.ErrUnsaved) && d.flushed(ctx) {
			err = nil
		}
		if err != nil {
			return nil, err
		}
		told, err := d.lead.TellSecret(ctx, lead.Crew{Store: d.store, Endpoint: now.endpoint, Identity: now.identity})
		if err != nil {
			return nil, crewError(err)
		}
		document := control.Rotated{SecretGeneration: d.crew().SecretGeneration, Members: []control.RotatedMember{}}
		for _, member := range told {
			row := control.RotatedMember{MemberID: member.MemberID, Delivered: member.Err == nil}
			if member.Err != nil {
				row.Reason = control.Text(member.Err.Error())
			}
			document.Members = append(document.Members, row)
		}
		return document, nil
	})
}

// flushed waits until the disk has taken what it refused, for as long as a
// rotation may take.
func (d *daemon) flushed(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, trust.RotateWithin)
	defer cancel()
	retry := time.NewTicker(time.Second)
	defer retry.Stop()
	for d.store.Flush() != nil {
		select {
		case <-ctx.Done():
			return false
		case <-retry.C:
		}
	}
	return true
}
