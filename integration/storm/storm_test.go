package storm_test

import (
	"context"
	mathrand "math/rand/v2"
	"sync"
	"testing"
	"time"

	"collie/node/trust"
	"collie/node/walky"
)

// report carries the receipts of one life to who is to hear of them, from the
// lives that both sides are in when it begins.
func (s *storm) report() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	for _, m := range s.all() {
		work.Go(func() {
			for ctx.Err() == nil {
				s.reportLife(ctx, m)
			}
		})
	}
	return func() { cancel(); work.Wait() }
}

func (s *storm) reportLife(ctx context.Context, m *stormMachine) {
	station, life, _ := m.now()
	lead, leads, _ := s.lead.now()
	if station == nil || lead == nil {
		time.Sleep(time.Millisecond)
		return
	}
	recent, changes, stop := station.Receipts()
	defer stop()
	tell := func(r walky.Report) {
		if m != s.lead {
			_ = lead.Result(m.id, r.Receipt)
		} else if to := s.by[r.Sender]; to != nil {
			if sender, _, _ := to.now(); sender != nil {
				_ = sender.Result("", r.Receipt)
			}
		}
	}
	for _, r := range recent {
		tell(r)
	}
	again := time.NewTimer(2 * time.Second) // a member that was away hears the recent ones again
	defer again.Stop()
	for {
		select {
		case r, open := <-changes:
			if !open {
				return
			}
			tell(r)
		case <-again.C:
			if m == s.lead {
				return
			}
		case <-life.Done():
			return
		case <-leads.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// send sends one message and notes what its sender was told.
func (s *storm) send(random *mathrand.Rand) {
	from, to := s.by[s.names[random.IntN(len(s.names))]], s.by[s.names[random.IntN(len(s.names))]]
	station, _, life := from.now()
	there, _, _ := to.now()
	if station == nil || there == nil || from == to {
		return
	}
	peers, err := there.Peers(context.Background(), walky.Sender{})
	if err != nil || len(peers) == 0 {
		return
	}
	r, err := station.Send(context.Background(), walky.Sender{Pane: "p1", Level: trust.Participant}, walky.Address{Machine: to.id, Pane: "p1", Token: peers[0].Address.Token}, "a short report", "")
	from.mu.Lock()
	alive := from.life == life
	from.mu.Unlock()
	if err != nil || !alive { // nobody was told anything
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[r.ID], s.from[r.ID] = r.State, from.id
}

// check holds every acknowledged message against the journals and the panes.
func (s *storm) check() (states map[walky.State]int) {
	states = map[walky.State]int{}
	lead, _, _ := s.lead.now()
	through := map[string]walky.LogEntry{}
	for _, e := range lead.Log() {
		through[e.ID] = e
	}
	out := map[string]walky.LogEntry{}
	for _, id := range s.names {
		station, _, _ := s.by[id].now()
		for _, e := range station.Log() {
			if e.Direction == walky.Out {
				out[e.ID] = e
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.acked {
		e, journaled := out[id]
		if !journaled {
			s.t.Errorf("%s: acknowledged, and not in its sender's journal", id)
			continue
		}
		states[e.State]++
		_, passed := through[id]
		switch {
		case e.State == walky.Accepted || e.State == walky.Held:
			s.t.Errorf("%s: still %s in the end", id, e.State)
		case e.State == walky.Delivered && (s.typed[id] != 1 || !passed):
			s.t.Errorf("%s: delivered, typed %d times, in the lead's journal: %v", id, s.typed[id], passed)
		case e.State == walky.Refused && s.typed[id] != 0:
			s.t.Errorf("%s: refused (%s) and typed", id, e.Reason)
		}
	}
	for id, n := range s.typed {
		if n > 1 {
			s.t.Errorf("%s: typed %d times", id, n)
		}
	}
	return states
}

// TestNoKillLosesAnAcknowledgedMessageOrTypesOneTwice sends 100,000 messages with
// 50 kills; with -short 4,000.
func TestNoKillLosesAnAcknowledgedMessageOrTypesOneTwice(t *testing.T) {
	t.Parallel()
	total := 100_000
	if testing.Short() {
		total = 4000
	}
	s := newStorm(t)
	stop := s.report()
	began := time.Now()
	work := make(chan struct{})
	var senders sync.WaitGroup
	for i := range 64 {
		senders.Go(func() {
			random := mathrand.New(mathrand.NewPCG(uint64(i), 1))
			for range work {
				s.send(random)
			}
		})
	}
	random := mathrand.New(mathrand.NewPCG(99, 1))
	all := s.all()
	for i := range total {
		work <- struct{}{}
		if i%(total/40) == total/80 {
			all[random.IntN(len(all))].kill()
		}
		if i%(total/10) == total/16 {
			s.lead.kill()
		}
	}
	close(work)
	senders.Wait()
	took := time.Since(began)
	deadline := time.Now().Add(time.Minute)
	for s.unsettled() && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	states := s.check()
	t.Logf("%d acknowledged in %v (%.0f a second): %v", len(s.acked), took.Round(time.Millisecond), float64(len(s.acked))/took.Seconds(), states)
	if states[walky.Delivered] < total/2 {
		t.Errorf("only %d were delivered", states[walky.Delivered])
	}
}

// unsettled says that a sender still waits to hear of a message.
func (s *storm) unsettled() bool {
	for _, id := range s.names {
		station, _, _ := s.by[id].now()
		for _, e := range station.Log() {
			if e.State == walky.Held || e.State == walky.Accepted {
				return true
			}
		}
	}
	return false
}
