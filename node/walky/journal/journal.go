// Package journal keeps lines on the disk: what a machine must still know of a
// message after a crash.
//
// A line belongs to an origin, the machine that a message came from, and to the
// id of the message. The first line of an id opens it; later ones say what
// became of it. Each origin has segments of its own, <origin>.<number>.jsonl
// (the machine itself: <number>.jsonl), so that the oldest lines of one origin
// go by removing a file and no file is ever rewritten.
//
// Invariants:
//   - Append returns once its lines are synced, or with an error; concurrent
//     calls share one sync. After an error the lines may or may not come back
//     at the next Open.
//   - Every line ends in a sum over its other bytes. A last line without its
//     newline was being written when the machine died: Open drops it and says
//     so. Any other line that does not hold its sum is damage, not a crash: it
//     is not believed, the file is left as it is and nothing more goes into it,
//     and Damage names it, so that whoever reads the journal doubts what a lost
//     line may have said. A line of another version ends Open.
//   - Nothing younger than Limits.Memory is ever forgotten, nothing older than
//     Limits.Age kept. When there are more than Limits.Lines, the origin with
//     the most loses its oldest first, and only that origin. After a start nobody
//     knows how old a line is, so one that starts again and again forgets nothing:
//     whoever appends asks Full, which bounds what an origin has until then.
package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Named refusals.
var (
	// ErrDamaged says that a line does not hold its sum or cannot be read.
	ErrDamaged = errors.New("journal is damaged")
	// ErrVersion says that a line was written by a program that this one does
	// not know.
	ErrVersion = errors.New("journal line has an unknown version")
	// ErrUnknown says that no line opens an id.
	ErrUnknown = errors.New("no record in the journal")
	// ErrClosed says that the journal was closed.
	ErrClosed = errors.New("journal is closed")
)

// A Journal is open until Close. It is safe for concurrent use. One process at
// a time may open a folder; whoever calls Open holds the lock that says so.
type Journal struct {
	disk   disk
	limits Limits
	steady func() time.Duration
	log    *slog.Logger

	queue sync.Mutex // guards batch; never held over the disk
	batch *batch     // what the next commit writes, nil when nobody waits

	commit sync.Mutex // guards the fields below; held while the disk is written
	series map[string]*series
	number int // of the newest segment
	closed bool

	index sync.RWMutex // guards the fields below; taken last, never held over the disk
	lines int
	// counts is the lines of each origin. Whoever holds commit may read it, too.
	counts map[string]int
	// places says where the line is that opens an id.
	places map[string]place

	damage []Damage // what load found
}

// Damage is a line that cannot be believed.
type Damage struct {
	Origin string
	Where  string // file and line
}

type place struct {
	segment *segment
	offset  int64
	size    int
}

// Open reads the journal in folder, which is made when it is missing, and
// calls each for every line, those of one id in the order in which they were
// appended. A file in the folder that is no segment is left alone and logged.
// steady is a clock that never jumps, whatever becomes of the times of the lines.
func Open(folder string, limits Limits, steady func() time.Duration, log *slog.Logger, each func(Line) error) (*Journal, error) {
	var j *Journal
	disk, err := openFolder(folder)
	if err == nil {
		j, err = openOn(disk, limits, steady, log, each)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the journal in %s: %w", folder, err)
	}
	return j, nil
}

func openOn(disk disk, limits Limits, steady func() time.Duration, log *slog.Logger, each func(Line) error) (*Journal, error) {
	j := &Journal{
		disk: disk, limits: limits, steady: steady, log: log,
		series: map[string]*series{}, counts: map[string]int{}, places: map[string]place{},
	}
	err := limits.check()
	if err == nil {
		err = j.load(each)
	}
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	return j, nil
}

// Close waits for the commit that is running and closes every file.
func (j *Journal) Close() error {
	j.commit.Lock()
	defer j.commit.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	var err error
	for _, s := range j.series {
		err = errors.Join(err, s.last().close())
	}
	return errors.Join(err, j.disk.Close())
}

// Lines is how many lines the journal holds.
func (j *Journal) Lines() int {
	j.index.RLock()
	defer j.index.RUnlock()
	return j.lines
}

// Full says that an origin has youngTimes as many lines as a journal should hold in
// all, and so is to open no more of them until Sweep can forget some.
func (j *Journal) Full(origin string) bool {
	j.index.RLock()
	defer j.index.RUnlock()
	return j.counts[origin] >= youngTimes*j.limits.Lines
}

// Damage is the lines that Open found damaged, the first maxDamage of them.
func (j *Journal) Damage() []Damage { return j.damage }

// Read returns the line that opens id, checked against its sum.
func (j *Journal) Read(id string) (Line, error) {
	j.index.RLock()
	at, ok := j.places[id]
	j.index.RUnlock()
	if !ok {
		return Line{}, ErrUnknown
	}
	text := make([]byte, at.size)
	if err := j.disk.ReadAt(at.segment.name, text, at.offset); err != nil {
		return Line{}, fmt.Errorf("cannot read the journal: %w", err)
	}
	line, err := decodeLine(text[:len(text)-1])
	if err == nil && line.ID != id {
		err = fmt.Errorf("%w: line of another message", ErrDamaged)
	}
	if err != nil {
		return Line{}, fmt.Errorf("%s: %w", at.segment.name, err)
	}
	line.Origin, _, _ = parseSegmentName(at.segment.name)
	return line, nil
}
