// Package sse writes and reads server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), the part
// of them that Collie uses: an id, a name, and one line of data.
package sse

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// writeTimeout is how long a receiver may take nothing before its stream ends.
const writeTimeout = 30 * time.Second

// ErrTooLong is returned by Reader.Next for an event beyond the bound.
var ErrTooLong = errors.New("event is too long")

// A Writer sends events as the answer of a request, with a beat whenever it was
// silent for a while. It is safe for concurrent use.
type Writer struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  bytes.Buffer
	started bool
	err     error
}

// NewWriter returns a writer whose answer starts with its first event, so that
// until then a refusal can still be an ordinary one.
func NewWriter(w http.ResponseWriter) *Writer {
	return &Writer{w: w, control: http.NewResponseController(w)}
}

// Started reports whether the answer has begun.
func (s *Writer) Started() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

func (s *Writer) start() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not collect events
	s.w.WriteHeader(http.StatusOK)
	s.started = true
}

// Send writes one event. The data must be one line. Once a write failed, every
// later one fails.
func (s *Writer) Send(name string, id uint64, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if !s.started {
		s.start()
	}
	s.buffer.Reset()
	if id != 0 {
		s.buffer.WriteString("id: ")
		s.buffer.WriteString(strconv.FormatUint(id, 10))
		s.buffer.WriteByte('\n')
	}
	s.buffer.WriteString("event: ")
	s.buffer.WriteString(name)
	s.buffer.WriteString("\ndata: ")
	s.buffer.Write(data)
	s.buffer.WriteString("\n\n")
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
	if _, s.err = s.w.Write(s.buffer.Bytes()); s.err == nil {
		s.err = s.control.Flush()
	}
	return s.err
}

// Beat sends a beat every interval until ctx ends or a write fails.
func (s *Writer) Beat(ctx context.Context, interval time.Duration, data func() []byte) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			if err := s.Send("beat", 0, data()); err != nil {
				return err
			}
		}
	}
}

// An Event is one that was read.
type Event struct {
	Name string
	Data []byte // belongs to the reader until the next call
}

// A Reader reads events that another node wrote.
type Reader struct {
	lines *bufio.Reader
	max   int
	data  []byte
}

// NewReader reads events of at most max bytes of data each.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{lines: bufio.NewReaderSize(r, 64<<10), max: max}
}

// Next returns the next event that has data. At the end it returns io.EOF.
func (r *Reader) Next() (Event, error) {
	var name string
	r.data = r.data[:0]
	seen := false
	for budget := r.max + 4096; ; {
		line, err := r.line(&budget)
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if seen {
				return Event{Name: name, Data: r.data}, nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if seen {
				r.data = append(r.data, '\n')
			}
			r.data = append(r.data, value...)
			seen = true
		}
	}
}

// line reads one line without its end, spending budget.
func (r *Reader) line(budget *int) ([]byte, error) {
	var whole []byte
	for {
		piece, err := r.lines.ReadSlice('\n')
		if *budget -= len(piece); *budget < 0 {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.max)
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
