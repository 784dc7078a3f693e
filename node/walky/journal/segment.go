package journal

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// A segment is one file: lines of one origin, the oldest first.
type segment struct {
	name   string
	number int
	file   file // nil unless it is being appended to
	sealed bool // nothing is appended any more
	lines  int
	size   int64 // up to here everything is synced
	// oldest and newest are the times of the lines, epoch milliseconds.
	oldest, newest int64
	// touched is when this process last read or wrote it, by the steady clock.
	touched time.Duration
}

// series is the segments of one origin, the oldest first, never empty.
type series struct {
	origin   string
	segments []*segment
}

func (s *series) last() *segment { return s.segments[len(s.segments)-1] }

func (s *segment) count(line Line) {
	at := line.At.UnixMilli()
	if s.lines == 0 || at < s.oldest {
		s.oldest = at
	}
	if s.lines == 0 || at > s.newest {
		s.newest = at
	}
	s.lines++
}

// full says that the next line belongs into a new segment.
func (s *segment) full(l Limits, at time.Time) bool {
	return s.sealed || s.lines >= l.SegmentLines || s.size >= l.SegmentBytes ||
		s.lines > 0 && at.UnixMilli()-s.oldest >= l.SegmentAge.Milliseconds()
}

// close seals the segment.
func (s *segment) close() error {
	s.sealed = true
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}

// abandon is for a write or a sync that failed: nobody knows what reached the
// disk. It takes off what it can and lets nothing more be appended.
func (s *segment) abandon() error {
	err := s.file.Truncate(s.size)
	if err == nil {
		err = s.file.Sync()
	}
	return errors.Join(err, s.close())
}

var segmentName = regexp.MustCompile(`^(?:([a-z0-9][a-z0-9-]{0,62})\.)?([0-9]{8,12})\.jsonl$`)

func nameSegment(origin string, number int) string {
	name := fmt.Sprintf("%08d.jsonl", number)
	if origin != "" {
		name = origin + "." + name
	}
	return name
}

func parseSegmentName(name string) (origin string, number int, ok bool) {
	parts := segmentName.FindStringSubmatch(name)
	if parts == nil {
		return "", 0, false
	}
	number, err := strconv.Atoi(parts[2])
	return parts[1], number, err == nil
}
