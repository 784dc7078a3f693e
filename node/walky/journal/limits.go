package journal

import (
	"errors"
	"time"
)

// Limits bound a journal.
type Limits struct {
	// Age and Lines bound what is kept, whichever is less.
	Age   time.Duration
	Lines int
	// Memory is the age below which nothing is forgotten, whatever Lines says and
	// however the clock jumps.
	Memory time.Duration
	// SegmentLines, SegmentBytes and SegmentAge close a segment once it has
	// reached one of them; the batch that reaches it is still written whole.
	SegmentLines int
	SegmentBytes int64
	SegmentAge   time.Duration
}

// youngTimes is how many times Lines one origin may have of lines that are too young
// to be forgotten.
const youngTimes = 10

// maxDamage bounds the damaged lines that are named.
const maxDamage = 100

// maxSegment bounds the file that Open reads: a segment and the largest batch.
const maxSegment = 64 << 20

func (l Limits) check() error {
	if l.Age <= 0 || l.Lines <= 0 || l.Memory <= 0 || l.SegmentLines <= 0 || l.SegmentBytes <= 0 || l.SegmentAge <= 0 {
		return errors.New("a bound of the journal is not positive")
	}
	if l.Age < l.SegmentAge+l.Memory {
		return errors.New("the age of the journal is less than that of a segment and the memory")
	}
	return nil
}
