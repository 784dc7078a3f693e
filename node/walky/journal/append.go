package journal

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A batch is what callers of Append put together while the commit before it is
// still being synced. Whoever began it writes it for all.
type batch struct {
	entries []*entry
	done    chan struct{} // closed once every entry has its outcome
}

// An entry is one call of Append.
type entry struct {
	origin string
	lines  []Line
	texts  [][]byte
	err    error // set before done is closed
}

func newEntry(lines []Line) (*entry, error) {
	e := &entry{origin: lines[0].Origin, lines: lines}
	for _, line := range lines {
		if line.Origin != e.origin {
			return nil, errors.New("cannot append lines of two origins at once")
		}
		text, err := encodeLine(line)
		if err != nil {
			return nil, err
		}
		e.texts = append(e.texts, text)
	}
	return e, nil
}

// Append writes lines, all of the origin of the first, and returns when they
// are synced. They stand together in one segment, in their order.
func (j *Journal) Append(lines ...Line) error {
	if len(lines) == 0 {
		return nil
	}
	e, err := newEntry(lines)
	if err != nil {
		return err
	}
	j.queue.Lock()
	b, first := j.batch, j.batch == nil
	if first {
		b = &batch{done: make(chan struct{})}
		j.batch = b
	}
	b.entries = append(b.entries, e)
	j.queue.Unlock()
	if !first {
		<-b.done
		return e.err
	}
	j.commit.Lock()
	j.queue.Lock()
	j.batch = nil // nobody joins from here on
	j.queue.Unlock()
	j.write(b.entries)
	j.commit.Unlock()
	close(b.done)
	return e.err
}

// write appends the entries, one write and one sync for each origin, the syncs
// side by side, and sets each entry's outcome. commit is held.
func (j *Journal) write(entries []*entry) {
	byOrigin := map[string][]*entry{}
	for _, e := range entries {
		byOrigin[e.origin] = append(byOrigin[e.origin], e)
	}
	var syncs sync.WaitGroup
	for origin, group := range byOrigin {
		s, err := j.begin(origin, group)
		if err != nil {
			settle(group, err)
			continue
		}
		if len(byOrigin) == 1 {
			settle(group, s.file.Sync())
			break
		}
		syncs.Go(func() { settle(group, s.file.Sync()) })
	}
	syncs.Wait()
	for origin, group := range byOrigin {
		j.finish(origin, group)
	}
}

// begin writes a group into the segment of its origin, which it opens or
// makes, and returns the segment for the sync.
func (j *Journal) begin(origin string, group []*entry) (*segment, error) {
	s, err := j.active(origin, group[0].lines[0].At)
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, e := range group {
		for _, t := range e.texts {
			text = append(text, t...)
		}
	}
	_, err = s.file.Write(text)
	return s, err
}

func settle(group []*entry, err error) {
	for _, e := range group {
		if err != nil {
			e.err = fmt.Errorf("cannot write the journal: %w", err)
		}
	}
}

// finish counts what was synced, or abandons the segment of what was not.
func (j *Journal) finish(origin string, group []*entry) {
	if group[0].err != nil {
		j.abandon(origin)
		return
	}
	s := j.series[origin].last()
	j.index.Lock()
	defer j.index.Unlock()
	s.touched = j.steady()
	for _, e := range group {
		for i, line := range e.lines {
			s.count(line)
			if line.Opens {
				j.places[line.ID] = place{s, s.size, len(e.texts[i])}
			}
			s.size += int64(len(e.texts[i]))
			j.counts[origin]++
			j.lines++
		}
	}
}

// abandon gives up the segment that an origin was appending to.
func (j *Journal) abandon(origin string) {
	series := j.series[origin]
	if series == nil || series.last().file == nil {
		return // it was not even opened
	}
	s := series.last()
	err := s.abandon()
	if s.lines == 0 {
		err = errors.Join(err, j.disk.Remove(s.name))
		series.segments = series.segments[:len(series.segments)-1]
		if len(series.segments) == 0 {
			delete(j.series, origin)
		}
	}
	if err != nil {
		j.log.Warn("journal file may hold lines that were refused", "file", s.name, "error", err)
	}
}

// active returns the segment that the next line of an origin goes to, open.
func (j *Journal) active(origin string, at time.Time) (*segment, error) {
	if j.closed {
		return nil, ErrClosed
	}
	if series := j.series[origin]; series != nil {
		s := series.last()
		if !s.full(j.limits, at) {
			return s, j.reopen(s)
		}
		if err := s.close(); err != nil {
			j.log.Warn("cannot close a journal file", "file", s.name, "error", err)
		}
	}
	j.number++
	s := &segment{name: nameSegment(origin, j.number), number: j.number}
	file, err := j.disk.Create(s.name)
	if err != nil {
		return nil, err
	}
	s.file = file
	if err := j.disk.Sync(); err != nil {
		return nil, errors.Join(err, s.close(), j.disk.Remove(s.name))
	}
	j.attach(origin, s)
	return s, nil
}

// reopen opens a segment that an earlier process began.
func (j *Journal) reopen(s *segment) (err error) {
	if s.file == nil {
		s.file, err = j.disk.Open(s.name)
	}
	return err
}
