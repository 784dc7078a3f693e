package journal

import (
	"cmp"
	"errors"
	"time"
)

// Sweep removes what is too old or too much and returns the ids that are
// forgotten by that. Before a segment goes, keep is asked about every id that
// it opens: an id that must live on is opened again at the end of the journal,
// followed by the lines that keep returns; none lets it go. keep must not call
// the journal.
func (j *Journal) Sweep(now time.Time, keep func(id string) []Line) (forgotten []string, err error) {
	j.commit.Lock()
	defer j.commit.Unlock()
	newest := j.number // what is carried on is not looked at again
	for !j.closed {
		series := j.overfull(now, newest)
		if series == nil {
			break
		}
		gone, err := j.drop(series, keep)
		forgotten = append(forgotten, gone...)
		if err != nil {
			return forgotten, err
		}
	}
	return forgotten, nil
}

// overfull returns the series whose oldest segment, up to the given number, is
// to go next, or nil.
func (j *Journal) overfull(now time.Time, number int) *series {
	young := now.Add(-j.limits.Memory).UnixMilli()
	old := now.Add(-j.limits.Age).UnixMilli()
	var most *series
	for _, s := range j.series {
		if first := s.segments[0]; first.oldest <= old && first.number <= number && !j.fresh(first) {
			return s
		}
		if most == nil || cmp.Or(cmp.Compare(j.counts[most.origin], j.counts[s.origin]), cmp.Compare(s.origin, most.origin)) < 0 {
			most = s
		}
	}
	if j.lines <= j.limits.Lines {
		return nil
	}
	first := most.segments[0]
	if first.newest > young && first.newest <= now.UnixMilli() || first.number > number || j.fresh(first) {
		return nil // what is young stays, and no other origin pays for it
	}
	return most
}

// fresh says that a line of a segment may be younger than Memory, whatever its time
// says, which may be to come where the clock was set back. After a start nobody
// knows how long ago the last run was.
func (j *Journal) fresh(s *segment) bool { return j.steady()-s.touched < j.limits.Memory }

// drop removes the oldest segment of a series.
func (j *Journal) drop(from *series, keep func(id string) []Line) (forgotten []string, err error) {
	s := from.segments[0]
	if err := s.close(); err != nil {
		j.log.Warn("cannot close a journal file", "file", s.name, "error", err)
	}
	var carried []Line
	for _, id := range j.opens(s) {
		after := keep(id)
		if len(after) == 0 {
			forgotten = append(forgotten, id)
			continue
		}
		line, err := j.Read(id)
		if errors.Is(err, ErrDamaged) { // nothing of it can be carried on
			j.log.Error("a journal line is damaged and is forgotten", "id", id, "error", err)
			forgotten = append(forgotten, id)
			continue
		}
		if err != nil {
			return nil, err
		}
		carried = append(append(carried, line), after...)
	}
	if err := j.carry(carried); err != nil {
		return nil, err
	}
	if err := j.disk.Remove(s.name); err != nil {
		return nil, err
	}
	if from.segments = from.segments[1:]; len(from.segments) == 0 {
		delete(j.series, from.origin)
	}
	j.index.Lock()
	defer j.index.Unlock()
	j.lines -= s.lines
	if j.counts[from.origin] -= s.lines; j.counts[from.origin] == 0 {
		delete(j.counts, from.origin)
	}
	for _, id := range forgotten {
		delete(j.places, id)
	}
	return forgotten, nil
}

// opens returns the ids that a segment opens.
func (j *Journal) opens(s *segment) (ids []string) {
	j.index.RLock()
	defer j.index.RUnlock()
	for id, at := range j.places {
		if at.segment == s {
			ids = append(ids, id)
		}
	}
	return ids
}

// carry appends within a sweep, which holds commit.
func (j *Journal) carry(lines []Line) error {
	if len(lines) == 0 {
		return nil
	}
	e, err := newEntry(lines)
	if err != nil {
		return err
	}
	j.write([]*entry{e})
	return e.err
}
