package walky

import "time"

// keep expires what is held for too long, tries again what is held, and lets
// the journal forget. While nothing is held here it wakes once an hour.
func (s *Station) keep() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	swept, retrying := time.Time{}, false
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
			if !retrying {
				retrying = true
				timer.Reset(s.limits.HeldRetry)
			}
			continue
		case <-timer.C:
		}
		now := s.now()
		if now.Sub(swept) >= sweepEvery {
			s.sweep()
			swept = now
		}
		s.expire(now)
		owed := s.turnAway()
		if retrying = s.retry() || owed; retrying {
			timer.Reset(s.limits.HeldRetry)
		} else {
			timer.Reset(sweepEvery)
		}
	}
}

const sweepEvery = time.Hour

// expire ends what was held for too long here, and stops waiting for receipts
// of what another machine must have ended by now.
func (s *Station) expire(now time.Time) {
	type end struct {
		m *message
		c change
	}
	var ends []end
	s.mu.Lock()
	for _, m := range s.messages {
		if m.decided != Held {
			continue
		}
		switch age := now.Sub(m.at); {
		case m.local() && age >= s.limits.HeldFor:
			ends = append(ends, end{m, change{State: Expired}})
		case !m.local() && age >= s.limits.HeldFor+s.limits.Journal.Memory:
			ends = append(ends, end{m, change{State: Unknown}})
		}
	}
	s.mu.Unlock()
	for _, e := range ends {
		if s.settle(e.m, e.c) && e.m.local() {
			s.report("walky.receive", e.m, e.c)
		}
	}
}

// turnAway refuses what is held of a machine that was set to off since. A refusal is
// final, so that nobody hears of one before it is recorded; it reports whether one is
// still to be.
func (s *Station) turnAway() (owed bool) {
	if !s.off {
		return false
	}
	var held []*message
	s.mu.Lock()
	for _, m := range s.messages {
		if m.local() && m.decided == Held {
			held = append(held, m)
		}
	}
	s.mu.Unlock()
	for _, m := range held {
		c := change{Refused, ReasonOff}
		if s.settle(m, c) {
			s.report("walky.receive", m, c)
		} else {
			owed = owed || s.open(m)
		}
	}
	return owed
}

// retry tries every lane that waits, and says whether there is one.
func (s *Station) retry() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pane, l := range s.lanes {
		if !l.running {
			s.kick(pane)
		}
	}
	return len(s.lanes) > 0
}
