package standby_test

import (
	"context"
	"encoding/json"
	"errors"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// peers is the network as one machine sees it.
type peers struct{ from *machine }

func (p peers) to(fp identity.Fingerprint) *machine {
	w := p.from.world
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.byFP[fp]
	if m == nil || !m.up || !p.from.up || w.cut[[2]string{p.from.name, m.name}] || w.cut[[2]string{m.name, p.from.name}] {
		return nil
	}
	return m
}

func (p peers) Call(ctx context.Context, fp identity.Fingerprint, route string, in, out any) error {
	m := p.to(fp)
	if m == nil || p.from.crew().Grade(fp) == trust.GradeNone || m.crew().Grade(p.from.fp()) == trust.GradeNone {
		return mesh.ErrUnreachable
	}
	if told, differ := mesh.ConflictFor(m.crew(), p.from.fp(), mesh.AllegianceOf(p.from.crew()), nil); differ {
		p.from.mu.Lock()
		defer p.from.mu.Unlock()
		p.from.links[fp] = mesh.Link{State: mesh.StateConflicted, Cause: &mesh.ConflictError{Conflict: told}}
		return mesh.ErrUnreachable // there would be no link
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, known, err := m.standby.Serve(ctx, p.from.fp(), route, body)
	if err != nil {
		return err
	}
	if !known {
		return api.ErrHostAnswer
	}
	return json.Unmarshal(answer, out)
}

func (p peers) Ask(_ context.Context, peer trust.Peer) error { return p.from.hello(peer.Fingerprint) }

func (p peers) Link(fp identity.Fingerprint) mesh.Link {
	p.from.mu.Lock()
	defer p.from.mu.Unlock()
	return p.from.links[fp]
}

// hello is the mesh's: pins on both ends, then the conflict, then the heartbeat.
func (m *machine) hello(fp identity.Fingerprint) error {
	said, err := m.sayHello(fp)
	link := mesh.Link{Up: err == nil, Holdings: said, Cause: err}
	m.mu.Lock()
	link.SeenAt = m.links[fp].SeenAt
	switch {
	case m.turnedAway:
		link = mesh.Link{State: mesh.StateUnenrolled, SeenAt: link.SeenAt}
	case err == nil:
		link.State, link.SeenAt = mesh.StateReachable, m.world.clock()
	}
	m.links[fp] = link
	m.mu.Unlock()
	var told *mesh.ConflictError
	if errors.As(err, &told) {
		m.standby.Conflicted(m.world.byFP[fp].name, told.Conflict)
	}
	return err
}

func (m *machine) sayHello(fp identity.Fingerprint) (mesh.Holdings, error) {
	to := peers{m}.to(fp)
	if to == nil || to.crew() == nil || m.crew() == nil {
		return mesh.Holdings{}, mesh.ErrNoReply
	}
	grade := to.crew().Grade(m.fp())
	if m.crew().Grade(fp) == trust.GradeNone || grade == trust.GradeNone {
		return mesh.Holdings{}, mesh.ErrNotPinned
	}
	generation := m.crew().Generation
	if told, differ := mesh.ConflictFor(to.crew(), m.fp(), mesh.AllegianceOf(m.crew()), []string{to.name + ":8788"}); differ {
		return mesh.Holdings{}, &mesh.ConflictError{Conflict: told}
	}
	if grade == trust.GradeEnded {
		w := to.world
		w.must(to.store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.HeardOfItsEnd(old, m.fp(), generation) }))
		if grade = to.crew().Grade(m.fp()); grade == trust.GradeNone {
			return mesh.Holdings{}, mesh.ErrNotPinned
		}
	}
	if grade == trust.GradeDeputy || grade == trust.GradeWitness {
		return mesh.Holdings{}, nil
	}
	if grade != trust.GradeLead {
		err := to.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
			next, err := trust.Repinned(old, m.fp(), generation)
			if err != nil {
				return nil, err
			}
			return trust.Confirm(next, m.fp(), to.crew().SecretGeneration)
		})
		if err != nil {
			return mesh.Holdings{}, err
		}
	}
	to.standby.Heard(m.fp(), generation)
	return mesh.HoldingsOf(to.crew(), to.key.Recipient()), nil
}
