package lead

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
)

// follow keeps one member's part of the herd current until ctx ends. Each of
// its parts waits for the link, does its work while it is up, and waits again.
// Nothing of it is shared with other members.
func (l *Lead) follow(ctx context.Context, crew Crew, member trust.Member) {
	machine := &remote{Machine: l.client(crew, member), host: member.ID, mask: l.node.Mask, audit: l.node.Audit}
	l.herd.update(member.ID, func(f *follower) { f.machine = machine })
	var parts errgroup.Group
	parts.Go(func() error {
		crew.Endpoint.Maintain(ctx, member.Fingerprint, func() []string {
			current, _ := crew.Store.Crew().Member(member.ID)
			return current.Addresses
		})
		return nil
	})
	parts.Go(func() error {
		onLinks(ctx, crew.Endpoint, func() {
			state := crew.Endpoint.LinkState(member.Fingerprint)
			l.herd.update(member.ID, func(f *follower) { f.show(state) })
		})
		return nil
	})
	parts.Go(func() error {
		l.whileUp(ctx, crew, member, "events", func(ctx context.Context) error { return l.readEvents(ctx, member, machine) })
		return nil
	})
	parts.Go(func() error {
		l.whileUp(ctx, crew, member, "receipts", func(ctx context.Context) error { return l.sendReceipts(ctx, crew, member) })
		return nil
	})
	_ = parts.Wait() // its parts end with ctx and have no error of their own
}

// client speaks to a member over the link.
func (l *Lead) client(crew Crew, member trust.Member) *api.Client {
	return &api.Client{
		Transport: crew.Endpoint.RoundTripper(member.Fingerprint), Refused: mesh.ErrUnreachable,
		Prefix: link.Prefix, Quiet: quiet,
	}
}

// onLinks calls see now and after every change of a link, until ctx ends.
func onLinks(ctx context.Context, endpoint *mesh.Endpoint, see func()) {
	changed, stop := endpoint.Watch()
	defer stop()
	for {
		see()
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// whileUp calls do whenever the link to a member is up, and once more after it
// ended, until ctx ends.
func (l *Lead) whileUp(ctx context.Context, crew Crew, member trust.Member, what string, do func(context.Context) error) {
	onLinks(ctx, crew.Endpoint, func() {
		for ctx.Err() == nil && crew.Endpoint.LinkState(member.Fingerprint).Up {
			err := do(ctx)
			if ctx.Err() != nil {
				return
			}
			l.log.Info("an exchange with a member ended", "member", member.ID, "exchange", what, "error", err)
			if !pause(ctx, retry) {
				return
			}
		}
	})
}

// readEvents follows a member's herd. It is the only place where the last good
// copy of a member changes.
func (l *Lead) readEvents(ctx context.Context, member trust.Member, machine *remote) error {
	err := machine.Events(ctx, func(event api.Event) error {
		if event.Receipt != nil {
			if err := l.node.Walky.Result(member.ID, *event.Receipt); err != nil {
				l.log.Warn("a member's receipt was refused", "member", member.ID, "error", err)
			}
			return nil
		}
		l.herd.update(member.ID, func(f *follower) {
			f.snapshot = api.Apply(f.snapshot, event)
			f.snapshot.Panes = f.snapshot.Panes[:min(len(f.snapshot.Panes), api.MaxPanes)]
			f.readable = true
		})
		return nil
	})
	l.herd.update(member.ID, func(f *follower) { f.readable = false })
	return err
}

// sendReceipts tells a member what became of its messages, the recent ones
// again each time that the link comes up.
func (l *Lead) sendReceipts(ctx context.Context, crew Crew, member trust.Member) error {
	recent, changes, stop := l.node.Walky.Receipts()
	defer stop()
	for {
		for _, report := range recent {
			if report.Sender != member.ID {
				continue
			}
			if err := link.Call(ctx, crew.Endpoint.RoundTripper(member.Fingerprint), "/walky/result", report.Receipt, &api.Done{}); err != nil {
				return err
			}
		}
		recent = recent[:0]
		select {
		case <-ctx.Done():
			return ctx.Err()
		case report, ok := <-changes:
			if !ok {
				return errors.New("fell behind with receipts")
			}
			recent = append(recent, report)
		}
	}
}
