package fleet

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	mathrand "math/rand/v2"

	"golang.org/x/sync/errgroup"

	"collie/crypto/secret"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
)

const (
	// seed draws which pane changes next.
	seed = 1
	// together is how many members look for their lead at one time when the fleet
	// starts: on machines of their own they would not share processors with it.
	together = 16
)

// Main is the program of a fleet: it reads its order from in, says on out that
// all members listen, and ends with in. It returns its exit code.
func Main(in io.Reader, out, errs io.Writer) int {
	if err := run(in, out); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

func run(in io.Reader, out io.Writer) (err error) {
	reader := bufio.NewReader(in)
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work errgroup.Group
	var members []*member
	defer func() {
		cancel()
		for _, m := range members {
			err = errors.Join(err, m.endpoint.Close())
		}
		err = errors.Join(err, work.Wait())
	}()
	for i := range o.Members {
		m, err := open(ctx, o.of(i), o.Panes)
		if err != nil {
			return err
		}
		members = append(members, m)
	}
	starting := make(chan struct{}, together)
	work.Go(func() error {
		for _, m := range members {
			select {
			case starting <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			work.Go(func() error { m.follow(ctx); return nil })
			work.Go(func() error { m.awaitLead(ctx); <-starting; return nil })
		}
		return nil
	})
	work.Go(func() error { change(ctx, members, o.Changes); return nil })
	if _, err := fmt.Fprintln(out, "ready"); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, reader)
	return err
}

// change changes so many panes a second, one after the other, until ctx ends.
func change(ctx context.Context, members []*member, perSecond float64) {
	if perSecond == 0 {
		return
	}
	random := mathrand.New(mathrand.NewPCG(seed, 0))
	ticker := time.NewTicker(time.Duration(float64(time.Second) / perSecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			members[random.IntN(len(members))].panes.change(random)
		}
	}
}

// A member is one end of a link to the lead, with panes behind it.
type member struct {
	store    *trust.Store
	endpoint *mesh.Endpoint
	panes    *panes
}

func open(ctx context.Context, at place, count int) (*member, error) {
	own, err := trust.LoadIdentity(filepath.Join(at.folder, trust.IdentityFileName))
	if err != nil {
		return nil, err
	}
	m := &member{panes: newPanes(count)}
	if m.store, err = trust.Open(filepath.Join(at.folder, trust.FileName), time.Now); err != nil {
		return nil, err
	}
	handlers := &api.Handlers{Machine: func(*http.Request) (api.Machine, error) { return m.panes, nil }, Beat: mesh.BeatEvery, Link: true}
	var routes []link.Route
	for _, route := range handlers.Routes() {
		routes = append(routes, link.Route{Method: route.Method, Path: route.Path, Grades: []trust.Grade{trust.GradeLead}, Handle: route.Handle})
	}
	m.endpoint, err = mesh.Listen(ctx, mesh.Config{
		Address: at.address, Identity: own, Store: m.store, Handler: link.Handler(routes), Build: "test",
		ProcessID: secret.NewToken(rand.Reader), Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	return m, err
}

// awaitLead returns once there is a link to the lead.
func (m *member) awaitLead(ctx context.Context) {
	lead := m.store.Crew().Lead.Fingerprint
	changed, stop := m.endpoint.Watch(lead)
	defer stop()
	for !m.endpoint.LinkState(lead).Up {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// follow keeps the link to the lead until ctx ends.
func (m *member) follow(ctx context.Context) {
	lead := m.store.Crew().Lead
	m.endpoint.Maintain(ctx, lead.Fingerprint, func() []string { return lead.Addresses })
}
