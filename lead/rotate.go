package lead

import (
	"context"
	"errors"
	"sync"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
)

var (
	// errAway is why a member without a link was not told the new secret.
	errAway = errors.New("it was away")
	// errBehind is why a member that held an older secret was not told.
	errBehind = errors.New("it did not hold the secret before")
)

// A Told says how a member came by the new secret, or why it did not.
type Told struct {
	MemberID string
	Err      error // nil when it holds the new secret
}

// TellSecret tells the new crew secret, which is stored, to each member that is
// owed it and has a link, under the secret before. Then the rotation is over:
// whoever was not told is cut off and has to join again. Every member has its
// place in what is returned.
func (l *Lead) TellSecret(ctx context.Context, crew Crew) ([]Told, error) {
	return l.tellSecret(ctx, crew, func(member trust.Member) error {
		if !crew.Endpoint.LinkState(member.Fingerprint).Up {
			return errAway
		}
		return nil
	})
}

// resumeRotation goes on with what the end of the process cut off: it waits for
// the link of each member that is still owed the new secret, for as long as the
// rotation may take.
func (l *Lead) resumeRotation(ctx context.Context, crew Crew) {
	now := crew.Store.Crew()
	if now == nil {
		return
	}
	if now.Rotation == nil {
		l.retireDeputy(crew)
		return
	}
	waiting, cancel := context.WithTimeout(ctx, now.Rotation.StartedAt.Add(trust.RotateWithin).Sub(l.now()))
	defer cancel()
	_, err := l.tellSecret(ctx, crew, func(member trust.Member) error {
		if awaitLink(waiting, crew.Endpoint, member) {
			return nil
		}
		return errAway
	})
	if err != nil && ctx.Err() == nil {
		l.log.Error("a rotation could not be brought to its end", "error", err)
	}
}

// awaitLink waits until there is a link to a member, and reports false when ctx
// ended before.
func awaitLink(ctx context.Context, endpoint *mesh.Endpoint, member trust.Member) bool {
	changed, stop := endpoint.Watch(member.Fingerprint)
	defer stop()
	for !endpoint.LinkState(member.Fingerprint).Up {
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
	return true
}

// tellSecret tells each member that is owed the new secret once ready says that
// it can be told, and ends the rotation. A deputy with a link comes first; the
// others are told at the same time, so that one that does not answer costs them
// nothing.
func (l *Lead) tellSecret(ctx context.Context, crew Crew, ready func(trust.Member) error) ([]Told, error) {
	now := crew.Store.Crew()
	if now == nil { // it was left meanwhile
		return nil, trust.ErrSolo
	}
	told := make([]Told, len(now.Members))
	var others []func()
	for i, member := range now.Members {
		told[i].MemberID = member.ID
		if !now.Owes(member.Fingerprint) {
			told[i].Err = errBehind
			continue
		}
		tell := func() {
			if told[i].Err = ready(member); told[i].Err == nil {
				told[i].Err = l.tellMember(ctx, crew, member, now)
			}
		}
		if member.ID == now.Deputy() && crew.Endpoint.LinkState(member.Fingerprint).Up {
			tell()
			continue
		}
		others = append(others, tell)
	}
	var group sync.WaitGroup
	for _, tell := range others {
		group.Go(tell)
	}
	group.Wait()
	if ctx.Err() != nil { // it goes on when the node starts again
		return nil, ctx.Err()
	}
	err := crew.Store.Update(trust.EndRotation)
	if errors.As(err, new(*trust.UnsavedError)) {
		l.log.Error("a rotation is over, which is not stored yet", "error", err)
		err = nil
	}
	l.retireDeputy(crew)
	for i, member := range now.Members {
		// A member whose answer was lost may have said hello with it meanwhile.
		if held, _ := crew.Store.Crew().Member(member.ID); told[i].Err != nil && held.SecretGeneration == now.SecretGeneration {
			told[i].Err = nil
		}
		if told[i].Err != nil {
			crew.Endpoint.Drop(member.Fingerprint, mesh.ErrUnenrolled)
			l.log.Warn("a member does not hold the new crew secret", "member", member.ID, "error", told[i].Err)
		}
	}
	return told, err
}

// retireDeputy makes a deputy that does not hold the current secret deputy no
// more.
func (l *Lead) retireDeputy(crew Crew) {
	err := crew.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RetireDeputy(old, crew.Identity, l.now()) })
	if err != nil && !errors.Is(err, trust.ErrNotLead) && !errors.Is(err, trust.ErrSolo) {
		l.log.Error("a deputy without the current secret could not be retired", "error", err)
	}
}

// tellMember tells one member the new secret, and notes that it holds it.
func (l *Lead) tellMember(ctx context.Context, crew Crew, member trust.Member, now *trust.Crew) error {
	transport := crew.Endpoint.RoundTripper(member.Fingerprint)
	fresh := link.NewSecret{Secret: now.Secret, SecretGeneration: now.SecretGeneration}
	if err := link.Call(ctx, transport, link.SecretRoute, fresh, &api.Done{}); err != nil {
		return err
	}
	err := crew.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Confirm(old, member.Fingerprint, now.SecretGeneration)
	})
	if err != nil {
		l.log.Error("a member holds the new crew secret, which is not stored yet", "member", member.ID, "error", err)
	}
	return nil
}
