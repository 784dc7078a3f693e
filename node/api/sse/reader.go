package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// An Event is one that was read.
type Event struct {
	Name string
	Data []byte // belongs to the reader until the next call
}

// A Reader reads events that another node wrote. A line ends with LF or CRLF.
// It is not safe for concurrent use.
type Reader struct {
	lines *bufio.Reader
	max   int
	data  []byte
}

// NewReader reads events of at most max bytes of data each.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{lines: bufio.NewReaderSize(r, lineBuffer), max: max}
}

// Next returns the next event that has data. At the end it returns io.EOF, also
// in the middle of an event. Its error is ErrTooLong for an event beyond the
// bound, comments included; nothing more can be read then. What has no data is
// left out, so a caller that waits for something bounds the time.
func (r *Reader) Next() (Event, error) {
	for {
		event, err := r.event()
		if err != nil || len(event.Data) > 0 {
			return event, err
		}
	}
}

// event reads up to a blank line. Without data there is no event.
func (r *Reader) event() (event Event, err error) {
	r.data = r.data[:0]
	more := false
	for budget := r.max + maxOverhead; ; {
		line, err := r.line(&budget)
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			return event, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			event.Name = string(value)
		case "data":
			if more {
				r.data = append(r.data, '\n')
			}
			more = true
			if r.data = append(r.data, value...); len(r.data) > r.max {
				return Event{}, r.tooLong()
			}
			event.Data = r.data
		}
	}
}

// line reads one line without its end, spending budget. The line belongs to the
// reader until the next one.
func (r *Reader) line(budget *int) ([]byte, error) {
	var whole []byte
	for {
		piece, err := r.lines.ReadSlice('\n')
		if *budget -= len(piece); *budget < 0 {
			return nil, r.tooLong()
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			whole = append(whole, piece...)
			continue
		}
		if err != nil {
			return nil, err // an event without its end is not believed
		}
		if whole != nil {
			piece = append(whole, piece...)
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(piece, []byte("\n")), []byte("\r")), nil
	}
}

func (r *Reader) tooLong() error { return fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.max) }
