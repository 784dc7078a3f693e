package journal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"
)

// load reads every segment in the order in which they were begun.
func (j *Journal) load(each func(Line) error) error {
	names, err := j.disk.Names()
	if err != nil {
		return err
	}
	type found struct {
		name, origin string
		number       int
	}
	var segments []found
	for _, name := range names {
		origin, number, ok := parseSegmentName(name)
		if !ok {
			j.log.Warn("file in the journal's folder is no part of it and is left alone", "file", name)
			continue
		}
		segments = append(segments, found{name, origin, number})
	}
	slices.SortFunc(segments, func(a, b found) int { return a.number - b.number })
	for _, s := range segments {
		j.number = max(j.number, s.number)
		if err := j.loadSegment(&segment{name: s.name, number: s.number, touched: j.steady()}, s.origin, each); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) loadSegment(s *segment, origin string, each func(Line) error) error {
	data, err := j.disk.ReadAll(s.name, maxSegment)
	if err != nil {
		return err
	}
	whole, number := bytes.LastIndexByte(data, '\n')+1, 0
	for rest := data[:whole]; len(rest) > 0; {
		text, after, _ := bytes.Cut(rest, []byte("\n"))
		number++
		line, err := decodeLine(text)
		if err == nil {
			line.Origin = origin
			err = each(line)
		}
		where := fmt.Sprintf("%s, line %d", s.name, number)
		switch {
		case errors.Is(err, ErrDamaged):
			j.doubt(Damage{origin, where}, err)
			s.sealed = true
		case err != nil:
			return fmt.Errorf("%s: %w", where, err)
		default:
			s.count(line)
			if line.Opens {
				j.places[line.ID] = place{s, s.size, len(text) + 1}
			}
		}
		s.size += int64(len(text)) + 1
		rest = after
	}
	if torn := data[whole:]; wasWhole(torn) { // only its end is damaged
		j.doubt(Damage{origin, fmt.Sprintf("%s, line %d", s.name, number+1)}, ErrDamaged)
		s.sealed = true
	} else if torn := len(torn); torn > 0 {
		j.log.Warn("the last line of a journal file was not written to its end and is dropped", "file", s.name, "bytes", torn)
		if err := j.trim(s.name, s.size); err != nil {
			return err
		}
	}
	if s.lines == 0 && !s.sealed {
		return j.disk.Remove(s.name)
	}
	if s.lines == 0 { // nothing in it is believed; it goes when its time is over
		now := time.Now().UnixMilli()
		s.oldest, s.newest = now, now
	}
	j.lines += s.lines
	j.counts[origin] += s.lines
	j.attach(origin, s)
	return nil
}

// doubt notes a line that cannot be believed.
func (j *Journal) doubt(d Damage, err error) {
	j.log.Error("a journal line is damaged and not believed", "at", d.Where, "error", err)
	if len(j.damage) < maxDamage {
		j.damage = append(j.damage, d)
	}
}

// wasWhole says of bytes without a newline that they are a line that lost only
// that: it was synced, and not torn by a crash.
func wasWhole(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	_, err := decodeLine(text[:len(text)-1])
	return err == nil
}

// trim takes a torn line off, so that the next one begins at its own start.
func (j *Journal) trim(name string, size int64) error {
	file, err := j.disk.Open(name)
	if err != nil {
		return err
	}
	if err = file.Truncate(size); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func (j *Journal) attach(origin string, s *segment) {
	if j.series[origin] == nil {
		j.series[origin] = &series{origin: origin}
	}
	j.series[origin].segments = append(j.series[origin].segments, s)
}
