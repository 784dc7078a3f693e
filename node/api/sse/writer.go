package sse

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Writer sends events as the answer of a request. It is safe for concurrent
// use.
type Writer struct {
	mu      sync.Mutex // guards what follows, and is held over one write
	w       http.ResponseWriter
	control *http.ResponseController
	started bool
	err     error // of the first write that failed
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

// Send writes one event; an id of 0 is left out. Name and data must be one line
// each, else nothing is sent and the error is ErrNotOneLine. Once a write
// failed, every later one fails in the same way.
func (s *Writer) Send(name string, id uint64, data []byte) error {
	if strings.ContainsAny(name, "\r\n") || bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, '\r') >= 0 {
		return ErrNotOneLine
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.write(name, id, data)
	}
	return s.err
}

func (s *Writer) write(name string, id uint64, data []byte) error {
	if !s.started {
		s.start()
	}
	var head []byte
	if id != 0 {
		head = append(strconv.AppendUint(append(head, "id: "...), id, 10), '\n')
	}
	head = append(append(append(head, "event: "...), name...), "\ndata: "...)
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
	for _, part := range [][]byte{head, data, []byte("\n\n")} {
		if _, err := s.w.Write(part); err != nil {
			return err
		}
	}
	return s.control.Flush()
}

func (s *Writer) start() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not collect events
	s.w.WriteHeader(http.StatusOK)
	s.started = true
}

// Beat sends a beat every interval, whatever else is sent, until ctx ends or a
// write fails. It returns why it ended.
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
