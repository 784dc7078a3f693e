package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// Tail returns the last n lines, at most MaxTail, oldest first. What does not
// read as a line is left out; Verify names it.
func (l *Log) Tail(n int) ([]Line, error) {
	s, err := l.snapshot()
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	defer s.close()
	return s.tail(n)
}

// After returns the lines that follow the one of a number, at most the latest
// MaxTail, oldest first.
func (l *Log) After(seq uint64) ([]Line, error) {
	s, err := l.snapshot()
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	defer s.close()
	if s.ends.last.seq <= seq {
		return nil, nil
	}
	lines, err := s.tail(int(min(s.ends.last.seq-seq, MaxTail)))
	return slices.DeleteFunc(lines, func(line Line) bool { return line.Seq <= seq }), err
}

// Watch returns a channel that gets a signal for lines that are added. stop ends
// it.
func (l *Log) Watch() (added <-chan struct{}, stop func()) { return l.additions.Watch() }

func (s *snapshot) tail(n int) ([]Line, error) {
	n = min(n, MaxTail)
	if n <= 0 {
		return nil, nil
	}
	lines, err := s.lastLines(n)
	for _, path := range slices.Backward(s.older) {
		if err != nil || len(lines) == n {
			break
		}
		var older []Line
		older, err = lastOlderLines(path, n-len(lines))
		lines = append(older, lines...)
	}
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return lines, nil
}

// lastOlderLines returns the last n lines of a rotated file. One that was
// removed meanwhile for its age has none.
func lastOlderLines(path string, n int) ([]Line, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := snapshot{current: f, size: -1}
	defer s.close()
	return s.lastLines(n)
}

// lastLines returns the last n lines of the current file. It reads from the end,
// and further back only while that was not enough.
func (s *snapshot) lastLines(n int) ([]Line, error) {
	size, err := s.length()
	if err != nil {
		return nil, err
	}
	for window := int64(tailWindow); ; window *= 4 {
		from := max(size-window, 0)
		var lines []Line
		_, err := scan(io.NewSectionReader(s.current, from, size-from), size-from, func(found scanned) error {
			if found.err == nil && (from == 0 || found.n > 1) { // the first may have begun before the window
				lines = append(lines, found.line)
			}
			return nil
		})
		if err != nil || from == 0 || len(lines) >= n {
			return lines[max(0, len(lines)-n):], err
		}
	}
}
