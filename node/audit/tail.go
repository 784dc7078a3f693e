package audit

import (
	"fmt"
	"slices"
)

// Tail returns the last n lines, at most MaxTail, oldest first. What does not
// read as a line is left out; Verify names it.
func (l *Log) Tail(n int) ([]Line, error) {
	n = min(n, MaxTail)
	if n <= 0 {
		return nil, nil
	}
	s, err := l.snapshot()
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	defer s.close()
	lines, err := lastLines(n, s.scanCurrent)
	for _, path := range slices.Backward(s.older) {
		if err != nil || len(lines) == n {
			break
		}
		var older []Line
		older, err = lastLines(n-len(lines), func(visit func(scanned) error) (int64, error) {
			return scanOlder(path, visit)
		})
		lines = append(older, lines...)
	}
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return lines, nil
}

// lastLines returns the last n lines of one file, keeping no more than twice
// as many on the way.
func lastLines(n int, scan func(visit func(scanned) error) (int64, error)) ([]Line, error) {
	var lines []Line
	_, err := scan(func(s scanned) error {
		if s.err != nil {
			return nil
		}
		if len(lines) == 2*n {
			lines = append(lines[:0], lines[n:]...)
		}
		lines = append(lines, s.line)
		return nil
	})
	return lines[max(0, len(lines)-n):], err
}
