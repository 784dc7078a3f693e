// Package meter remembers for a day what the machines of a crew were busy with,
// one point a minute, and judges the operator's alert rules by it.
//
// It makes rates of the counters that machines are asked for, and asks nobody
// itself; whoever asks says when. A machine costs at most 41 kB, in memory and in
// the file that a day is stored in now and then: a crash loses the minutes since,
// a restart the one that it falls into. A rule begins to count anew.
package meter

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"collie/node/load"
)

// A Point is a minute of one machine. At is when it ended.
type Point struct {
	At     time.Time
	Rates  load.Rates
	Absent bool // nothing is known of that minute
}

// A Now is what a machine is busy with at present.
type Now struct {
	At      time.Time
	Reading load.Reading
	Rates   *load.Rates // nil until there were two readings
}

// A Meter is safe for concurrent use.
type Meter struct {
	mu       sync.Mutex // guards what follows
	machines map[string]*machine
	rules    []Rule
	// How many points were ever added, and how many of them when the file was
	// written.
	added, stored uint64
}

type machine struct {
	now    Now
	base   load.Reading // where the present rates begin
	baseAt time.Time

	minute *load.Reading // at the last point; nil when there is none to begin at
	times  []int64       // of the points, in minutes since 1970, oldest first
	points []packed
	streak map[int]int // by rule: the points in a row that were above
}

// packed is a point as it is kept: processor, memory, load, received, sent.
type packed [5]float32

// New returns a meter that knows no machine.
func New() *Meter { return &Meter{machines: map[string]*machine{}} }

// Keep forgets every machine that is none of these.
func (m *Meter) Keep(ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.machines {
		if !slices.Contains(ids, id) {
			delete(m.machines, id)
		}
	}
}

func (m *Meter) machine(id string) *machine {
	found := m.machines[id]
	if found == nil && len(m.machines) < MaxMachines {
		found = &machine{streak: map[int]int{}}
		m.machines[id] = found
	}
	return found
}

// Look takes over a reading for somebody who looks.
func (m *Meter) Look(id string, reading load.Reading, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.machine(id); found != nil {
		found.look(reading, at)
	}
}

func (m *machine) look(reading load.Reading, at time.Time) {
	var rates *load.Rates
	if since, ok := reading.Since(m.base); ok && !m.baseAt.IsZero() {
		rates = &since
	}
	m.now = Now{At: at, Reading: reading, Rates: rates}
	m.base, m.baseAt = reading, at
}

// Minute takes over a reading at the end of a minute, and judges the rules for a
// machine of that name. A nil reading says that it could not be asked.
func (m *Meter) Minute(id, name string, reading *load.Reading, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.machine(id)
	if found == nil {
		return
	}
	before := found.minute
	found.minute = reading
	if reading == nil {
		found.streak = map[int]int{}
		return
	}
	found.look(*reading, at)
	if before == nil {
		return
	}
	rates, ok := reading.Since(*before)
	if !ok {
		return
	}
	m.added++
	found.add(at.Unix()/int64(Step/time.Second), rates)
	found.judge(name, rates, m.rules)
}

// add keeps a point. A second one of the same minute takes the place of the
// first; one that is older than the last is of a clock that was set back, and
// begins a new day.
func (m *machine) add(minute int64, rates load.Rates) {
	point := packed{float32(rates.CPU), float32(rates.Memory), float32(rates.Load), float32(rates.ReceivedBytesPerSec), float32(rates.SentBytesPerSec)}
	if n := len(m.times); n > 0 && m.times[n-1] >= minute {
		if m.times[n-1] == minute {
			m.points[n-1] = point
			return
		}
		m.times, m.points = nil, nil
	}
	if len(m.times) >= Points {
		m.times, m.points = slices.Delete(m.times, 0, 1), slices.Delete(m.points, 0, 1)
	}
	m.times, m.points = append(m.times, minute), append(m.points, point)
}

// Now returns what a machine is busy with, and false when nobody asked it yet.
func (m *Meter) Now(id string) (Now, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.machines[id]
	if found == nil || found.now.At.IsZero() {
		return Now{}, false
	}
	return found.now, true
}

// History returns the points of the day before now, oldest first, one for each
// minute from the first that is known.
func (m *Meter) History(id string, now time.Time) []Point {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.machines[id]
	if found == nil {
		return nil
	}
	last := now.Unix() / int64(Step/time.Second)
	begin, _ := slices.BinarySearchFunc(found.times, last-Points+1, cmp.Compare[int64])
	var day []Point
	for i := begin; i < len(found.times) && found.times[i] <= last; i++ {
		for next := found.times[max(i-1, begin)] + 1; i > begin && next < found.times[i]; next++ {
			day = append(day, Point{At: time.Unix(next*60, 0).UTC(), Absent: true})
		}
		p := found.points[i]
		day = append(day, Point{At: time.Unix(found.times[i]*60, 0).UTC(), Rates: load.Rates{
			CPU: float64(p[0]), Memory: float64(p[1]), Load: float64(p[2]),
			ReceivedBytesPerSec: float64(p[3]), SentBytesPerSec: float64(p[4]),
		}})
	}
	return day
}
