package succession_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// A mishap is what happens to one message, which is a question and its answer.
type mishap int

const (
	noMishap   mishap = iota
	lostAsked         // the question is lost
	lostAnswer        // the answer is
	repeated          // the question arrives twice
	late              // it waits, perhaps until nobody waits for its answer
	cutAfter          // it is the last one over its link for a while
	allMishaps
)

func (m mishap) String() string {
	return [...]string{"no mishap", "question lost", "answer lost", "repeated", "late", "last"}[m]
}

// A message is under way until the world delivers it.
type message struct {
	from   *process
	to     *machine
	what   string
	number int // of its kind, from one machine to the other
	serve  func(*process) (any, error)
	done   chan reply

	judged bool // whether it arrives was decided
	until  int  // the tick before which it does not
}

type reply struct {
	answer any
	err    error
}

func (m *message) way() string {
	return fmt.Sprintf("%s to %s, %s", m.from.machine.name, m.to.name, m.what)
}

// key names a message in every telling of a story.
func (m *message) key() string { return fmt.Sprintf("%s, number %d", m.way(), m.number) }

// exchange asks a peer and waits for its answer, or until ctx ends.
func (p *process) exchange(ctx context.Context, fp identity.Fingerprint, what string, serve func(*process) (any, error)) (any, error) {
	w := p.machine.world
	to := w.reached(p, fp)
	if to == nil {
		return nil, mesh.ErrUnreachable
	}
	m := &message{from: p, to: to, what: what, serve: serve, done: make(chan reply, 1)}
	w.post(m)
	select {
	case r := <-m.done:
		return r.answer, r.err
	case <-ctx.Done():
		return nil, mesh.ErrNoReply
	}
}

// post puts a message under way.
func (w *world) post(m *message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[m.way()]++
	m.number = w.sent[m.way()]
	w.underWay = append(w.underWay, m)
	// Which goroutine posts first is the scheduler's choice, and not the seed's.
	slices.SortStableFunc(w.underWay, func(a, b *message) int {
		return cmp.Or(cmp.Compare(a.from.machine.name, b.from.machine.name), cmp.Compare(a.to.name, b.to.name), cmp.Compare(a.what, b.what), cmp.Compare(a.number, b.number))
	})
}

// reached returns the machine that a process reaches under a pin, or nil.
func (w *world) reached(p *process, fp identity.Fingerprint) *machine {
	to := w.byFP[fp]
	if to == nil || p.dead.Load() || to.process.Load() == nil || w.cut[between(p.machine, to)] {
		return nil
	}
	if p.store.Crew().Grade(fp) == trust.GradeNone || to.crew().Grade(p.machine.fp()) == trust.GradeNone {
		return nil
	}
	return to
}

func between(a, b *machine) [2]string { return [2]string{min(a.name, b.name), max(a.name, b.name)} }

// deliver carries a message to its end.
func (w *world) deliver(m *message, how mishap) {
	if how != noMishap {
		w.disturbed[between(m.from.machine, m.to)] = w.tick
		w.note("%s: %s", how, m.key())
	}
	to := m.to.process.Load()
	if how == lostAsked || w.reached(m.from, m.to.fp()) == nil {
		m.done <- reply{nil, mesh.ErrNoReply}
		return
	}
	answer, err := m.serve(to)
	if how == repeated && !to.dead.Load() {
		answer, err = m.serve(to)
	}
	if how == cutAfter {
		w.cut[between(m.from.machine, m.to)], w.mended = true, w.tick+outage
	}
	if how == lostAnswer || how == cutAfter || to.dead.Load() {
		answer, err = nil, mesh.ErrNoReply
	}
	m.done <- reply{answer, err}
}

// Call implements standby.Peers.
func (p *process) Call(ctx context.Context, fp identity.Fingerprint, route string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	from, says := p.machine.fp(), mesh.AllegianceOf(p.store.Crew())
	answer, err := p.exchange(ctx, fp, route, func(to *process) (any, error) {
		if told, differ := mesh.ConflictFor(to.store.Crew(), from, says, nil); differ {
			return nil, &mesh.ConflictError{Conflict: told}
		}
		answer, known, err := to.standby.Serve(to.ctx, from, route, body)
		if err == nil && !known {
			err = api.ErrHostAnswer
		}
		return answer, err
	})
	if told := (*mesh.ConflictError)(nil); errors.As(err, &told) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.links[fp] = mesh.Link{State: mesh.StateConflicted, Cause: told}
		return mesh.ErrUnreachable // there would be no link
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.(json.RawMessage), out)
}

// Ask implements standby.Peers.
func (p *process) Ask(ctx context.Context, peer trust.Peer) error {
	err := p.hello(ctx, peer.Fingerprint)
	if errors.Is(err, mesh.ErrUnreachable) {
		return mesh.ErrNoReply
	}
	return err
}

// Link implements standby.Peers.
func (p *process) Link(fp identity.Fingerprint) mesh.Link {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.links[fp]
}

// hello is the mesh's: pins on both ends, the conflict, then what each holds.
func (p *process) hello(ctx context.Context, fp identity.Fingerprint) error {
	from, says := p.machine.fp(), mesh.AllegianceOf(p.store.Crew())
	answer, err := p.exchange(ctx, fp, "hello", func(to *process) (any, error) { return to.greeted(from, says) })
	link := mesh.Link{Up: err == nil, Cause: err}
	if err == nil {
		link.State, link.Holdings = mesh.StateReachable, answer.(mesh.Holdings)
	}
	p.mu.Lock()
	link.SeenAt = p.links[fp].SeenAt
	if err == nil {
		link.SeenAt = time.Now()
	}
	p.links[fp] = link
	p.mu.Unlock()
	var told *mesh.ConflictError
	if errors.As(err, &told) && !p.dead.Load() {
		id, _ := p.store.Crew().Pin(fp)
		p.standby.Conflicted(id, told.Conflict)
	}
	return err
}

func (p *process) greeted(from identity.Fingerprint, says mesh.Allegiance) (any, error) {
	crew := p.store.Crew()
	if told, differ := mesh.ConflictFor(crew, from, says, p.machine.addresses()); differ {
		return nil, &mesh.ConflictError{Conflict: told}
	}
	grade := crew.Grade(from)
	if grade == trust.GradeEnded {
		err := p.store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.HeardOfItsEnd(old, from, says.Generation) })
		if err != nil {
			return nil, err
		}
		grade = p.store.Crew().Grade(from)
	}
	switch grade {
	case trust.GradeNone, trust.GradeEnded:
		return nil, mesh.ErrNotPinned
	case trust.GradeDeputy, trust.GradeWitness:
		return mesh.Holdings{}, nil
	case trust.GradeLead:
	default:
		err := p.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
			next, err := trust.Repinned(old, from, says.Generation)
			if err != nil {
				return nil, err
			}
			return trust.Confirm(next, from, next.SecretGeneration)
		})
		if err != nil {
			return nil, err
		}
	}
	p.standby.Heard(from, says.Generation)
	p.machine.world.called(p.machine, from)
	return mesh.HoldingsOf(p.store.Crew(), p.machine.key.Recipient()), nil
}
