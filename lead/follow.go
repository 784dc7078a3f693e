package lead

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
)

// follow keeps one member's part of the herd current until ctx ends. Each of
// its parts waits for the link, does its work while it is up, and waits again.
// Nothing of it is shared with other members.
func (l *Lead) follow(ctx context.Context, crew Crew, member trust.Member) {
	machine := l.remote(member.ID, &api.Client{
		Transport: newPaced(crew.Endpoint.RoundTripper(member.Fingerprint)), Refused: mesh.ErrUnreachable,
		Prefix: link.Prefix, Quiet: quiet,
	})
	live := func() mesh.Link { return crew.Endpoint.LinkState(member.Fingerprint) }
	l.herd.update(member.ID, func(f *follower) { f.machine, f.live = machine, live })
	look := func() time.Duration { return l.look(crew, member, live()) }
	var parts errgroup.Group
	parts.Go(func() error {
		crew.Endpoint.Maintain(ctx, member.Fingerprint, func() []string {
			return crew.Store.Crew().AddressesOf(member.ID)
		})
		return nil
	})
	parts.Go(func() error {
		l.watch(ctx, crew, member, look)
		return nil
	})
	parts.Go(func() error {
		l.whileUp(ctx, crew, member, "events", func(ctx context.Context) error {
			defer look() // until now it was seen
			return l.readEvents(ctx, machine)
		})
		return nil
	})
	parts.Go(func() error {
		l.whileUp(ctx, crew, member, "receipts", func(ctx context.Context) error { return l.sendReceipts(ctx, crew, member) })
		return nil
	})
	_ = parts.Wait() // its parts end with ctx and have no error of their own
}

// look shows the link to a member in the herd, and returns after how long what is
// said of it may be another thing.
func (l *Lead) look(crew Crew, member trust.Member, state mesh.Link) time.Duration {
	peer := link.Peer{ID: member.ID}
	if own := crew.Endpoint.Addresses(); len(own) > 0 {
		peer.Join = own[0]
	}
	said := link.Advise(state, peer, l.now())
	state.Build, said.Reason = l.herd.word(state.Build), l.herd.word(said.Reason)
	l.herd.update(member.ID, func(f *follower) { f.show(state, said) })
	return said.Again
}

// watch looks now, after every change of the link to a member, and when what is
// said of it may be another thing.
func (l *Lead) watch(ctx context.Context, crew Crew, member trust.Member, look func() time.Duration) {
	changed, stop := crew.Endpoint.Watch(member.Fingerprint)
	defer stop()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	for {
		again.Stop()
		if wait := look(); wait > 0 {
			again.Reset(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-again.C:
		}
	}
}

// onLink calls see now and after every change of the link to a member, until ctx
// ends.
func onLink(ctx context.Context, endpoint *mesh.Endpoint, member identity.Fingerprint, see func()) {
	changed, stop := endpoint.Watch(member)
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

// errMoved ends what runs on a link when another one has taken its place.
var errMoved = errors.New("another link to the member is in use")

// whileUp calls do whenever the link to a member is up, again when it ended
// before the link did, and at once when another link took the place of the one
// in use, until ctx ends.
func (l *Lead) whileUp(ctx context.Context, crew Crew, member trust.Member, what string, do func(context.Context) error) {
	onLink(ctx, crew.Endpoint, member.Fingerprint, func() {
		for wait := retryFirst; crew.Endpoint.LinkState(member.Fingerprint).Up; wait = min(2*wait, retryMost) {
			within, stop := onThisLink(ctx, crew.Endpoint, member.Fingerprint)
			err := do(within)
			moved := errors.Is(context.Cause(within), errMoved)
			stop()
			if ctx.Err() != nil {
				return
			}
			if moved {
				wait = retryFirst / 2
				continue
			}
			l.log.Info("an exchange with a member ended", "member", member.ID, "exchange", what, "error", err)
			if !pause(ctx, wait) {
				return
			}
		}
	})
}

// onThisLink returns a context that ends with errMoved once another link to a
// member is in use. What runs on the old one has some seconds left there, so it
// can begin anew and nobody notices.
func onThisLink(ctx context.Context, endpoint *mesh.Endpoint, member identity.Fingerprint) (within context.Context, stop func()) {
	since := endpoint.LinkState(member).Since
	within, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		onLink(within, endpoint, member, func() {
			if state := endpoint.LinkState(member); state.Up && !state.Since.Equal(since) {
				cancel(errMoved)
			}
		})
	})
	return within, func() {
		cancel(nil)
		watching.Wait()
	}
}

// readEvents follows a member's herd. It is the only place where the last good
// copy of a member changes, so the copy is put together outside of the herd's
// lock.
func (l *Lead) readEvents(ctx context.Context, machine *remote) error {
	var copied api.Snapshot
	refused := false
	pace := rate.NewLimiter(eventRate, eventBurst)
	err := machine.Events(ctx, func(event api.Event) error {
		if event.Receipt != nil {
			if err := l.node.Walky.Result(machine.host, *event.Receipt); err != nil && !refused {
				refused = true // one line tells enough of a member that sends a thousand
				l.log.Warn("a member's receipt was refused", "member", machine.host, "error", err)
			}
			return pace.Wait(ctx)
		}
		copied = bounded(api.Apply(copied, event))
		l.herd.update(machine.host, func(f *follower) { f.current(copied) })
		return pace.Wait(ctx)
	})
	if !errors.Is(context.Cause(ctx), errMoved) { // then they are read on
		l.herd.update(machine.host, func(f *follower) { f.ended(err) })
	}
	return err
}

// bounded cuts the copy of a member to what one machine may show.
func bounded(s api.Snapshot) api.Snapshot {
	s.Workspaces = s.Workspaces[:min(len(s.Workspaces), api.MaxPanes)]
	s.Tabs = s.Tabs[:min(len(s.Tabs), api.MaxPanes)]
	s.Panes = s.Panes[:min(len(s.Panes), api.MaxPanes)]
	return s
}

// sendReceipts tells a member what became of its messages, the recent ones
// again each time that the link comes up.
func (l *Lead) sendReceipts(ctx context.Context, crew Crew, member trust.Member) error {
	recent, changes, stop := l.node.Walky.Receipts()
	defer stop()
	transport := crew.Endpoint.RoundTripper(member.Fingerprint)
	for {
		for _, report := range recent {
			if report.Sender != member.ID {
				continue
			}
			err := link.Call(ctx, transport, "/walky/result", report.Receipt, &api.Done{})
			if errors.Is(err, api.ErrWalkyRefused) { // it journals that message no more; the others are told
				l.log.Info("a member takes no receipt", "member", member.ID, "message", report.ID, "error", err)
				continue
			}
			if err != nil {
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
