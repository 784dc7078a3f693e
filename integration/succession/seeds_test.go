package succession_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"collie/mesh/trust"
)

var (
	seed  = flag.Uint64("seed", 0, "the one seed to run, of TestSuccessionUnderAnySchedule")
	seeds = flag.Uint64("seeds", 1200, "how many seeds it runs")
)

const (
	ticks = 40 // beats with faults in one story
	rest  = 14 // beats without, after them
)

// A schedule is everything that goes wrong and everything that people do, from a
// seed.
type schedule struct {
	*world
	random *rand.Rand
	gone   map[*machine]int // down until this tick
}

func (s *schedule) chance(percent int) bool { return s.random.IntN(100) < percent }

func (s *schedule) any() *machine { return s.machines[s.random.IntN(len(s.machines))] }

func TestSuccessionUnderAnySchedule(t *testing.T) {
	t.Parallel()
	three, four := found(t, 3), found(t, 4)
	if *seed != 0 {
		runSeed(t, *seed, three, four)
		return
	}
	for n := uint64(1); n <= *seeds; n++ {
		t.Run(fmt.Sprint("seed ", n), func(t *testing.T) {
			t.Parallel()
			runSeed(t, n, three, four)
		})
	}
}

func runSeed(t *testing.T, n uint64, crews ...*founding) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(n, 40))
		w := begin(t, crews[random.IntN(len(crews))])
		s := &schedule{world: w, random: random, gone: map[*machine]int{}}
		w.note("seed %d, %d machines", n, len(w.machines))
		w.next = random.IntN
		w.faultOfWrite = func(m *machine) fault {
			if !s.chance(3) {
				return noFault
			}
			f := 1 + fault(s.random.IntN(int(allFaults)-1))
			w.note("%s: %s the write", m.name, f)
			return f
		}
		w.interrupt = s.interrupt
		w.mishapOf = func(*message) mishap {
			if !s.chance(4) {
				return noMishap
			}
			return 1 + mishap(s.random.IntN(int(allMishaps)-1))
		}
		for range ticks {
			s.happen()
			w.pass(1)
		}
		w.heal()
		w.pass(rest)
		w.atRest()
		w.end()
	})
}

// happen lets something happen between two beats.
func (s *schedule) happen() {
	w := s.world
	for _, m := range w.machines {
		if m.process.Load() == nil && w.tick >= s.gone[m] && s.chance(40) {
			if s.chance(20) && m.putBack() {
				w.note("%s is restored from a backup", m.name)
			}
			w.note("%s starts", m.name)
			m.start()
			w.settle()
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(w.cut), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if s.chance(15) {
			w.note("%s and %s are connected", pair[0], pair[1])
			delete(w.cut, pair)
			w.disturbed[pair] = w.tick
		}
	}
	if a, b := s.any(), s.any(); a != b && s.chance(10) {
		w.note("%s and %s are cut off", a.name, b.name)
		w.cut[between(a, b)], w.disturbed[between(a, b)] = true, w.tick
	}
	if m := s.any(); m.process.Load() != nil && s.chance(5) {
		s.gone[m] = w.tick + s.random.IntN(14)
		m.process.Load().crash()
	}
	for _, m := range w.machines {
		p := m.process.Load()
		if p == nil {
			continue
		}
		if s.chance(10) {
			m.backup = m.disk.store
		}
		if m.process.Load() == p && p.standby.View().Armed && s.chance(50) {
			w.tap(p, s.chance(30))
		}
		if m.serves() {
			s.lead(m, p)
		} else if p.store.Crew().Role == trust.RoleMember && s.chance(4) {
			w.command(func(ctx context.Context) {
				_, err := p.standby.Promote(ctx)
				w.note("%s promotes itself: %v", m.name, err)
			})
		}
	}
}

// interrupt lets a link come back, and a beat be early, between two messages.
func (s *schedule) interrupt() {
	w := s.world
	if !s.chance(2) {
		return
	}
	for _, pair := range slices.SortedFunc(maps.Keys(w.cut), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if s.chance(50) {
			w.note("%s and %s are connected, meanwhile", pair[0], pair[1])
			delete(w.cut, pair)
			w.disturbed[pair] = w.tick
		}
	}
	if p := s.any().process.Load(); p != nil {
		w.greet(p)
		synctest.Wait()
	}
}

// lead is what the operator does on the lead.
func (s *schedule) lead(m *machine, p *process) {
	w, crew := s.world, p.store.Crew()
	if len(crew.Members) == 0 {
		return
	}
	other := crew.Members[s.random.IntN(len(crew.Members))]
	if said, some := crew.Warrant.Said(); (!some || said.NamesNobody()) && s.chance(25) || s.chance(2) {
		w.command(func(ctx context.Context) {
			_, err := p.standby.NameDeputy(ctx, other.ID, "")
			w.note("%s names %s: %v", m.name, other.ID, err)
		})
	}
	if s.chance(8) && m.serves() && w.newest(m) {
		devices := slices.Clone(m.devices())
		if len(devices) > 1 && s.chance(50) {
			devices = slices.Delete(devices, 0, 1)
		} else {
			devices = append(devices, device(time.Now(), fmt.Sprint("device ", w.tick)))
		}
		w.note("%s has the devices %v", m.name, labels(devices))
		w.pair(m, devices)
	}
	if s.chance(2) {
		w.command(func(ctx context.Context) {
			_, err := p.standby.RevokeDeputy(ctx)
			w.note("%s revokes its deputy: %v", m.name, err)
		})
	}
	if s.chance(4) {
		_, err := p.standby.Approve(other.ID)
		w.note("%s approves %s: %v", m.name, other.ID, err)
		if to := w.byFP[other.Fingerprint].process.Load(); err == nil && to != nil {
			w.command(func(ctx context.Context) {
				_, err := to.standby.Promote(ctx)
				w.note("%s promotes itself: %v", other.ID, err)
			})
		}
	}
}

// heal ends all faults.
func (w *world) heal() {
	w.note("all faults end")
	clear(w.cut)
	w.faultOfWrite = func(*machine) fault { return noFault }
	w.mishapOf = func(*message) mishap { return noMishap }
	w.interrupt = func() {}
	for _, m := range w.machines {
		if m.process.Load() == nil {
			m.start()
		}
	}
	w.settle()
}
