package audit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// A snapshot is the log at one moment, to be read without holding up Write. A
// rotation does not disturb it: the current file is open, and rotated files
// keep their names.
type snapshot struct {
	older   []string // paths, oldest first
	path    string
	current *os.File
	size    int64 // of what is valid in current; below 0 is all
	ends    ends
	lost    bool // the line that the record was missing could not be written yet
}

func (l *Log) snapshot() (snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := snapshot{path: l.path, size: l.size, ends: l.ends, lost: l.owed != nil && l.owed.Outcome == RecordMissing}
	err := s.open()
	return s, err
}

func (s *snapshot) open() (err error) {
	if s.older, err = rotated(s.path); err != nil {
		return err
	}
	s.current, err = os.OpenFile(s.path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	return err
}

func (s *snapshot) close() { s.current.Close() }

// scanCurrent is scan over the current file, with what is torn after it.
func (s *snapshot) scanCurrent(visit func(scanned) error) (torn int64, err error) {
	size, err := s.length()
	if err != nil {
		return 0, err
	}
	end, err := scan(s.current, size, visit)
	return size - end, err
}

// length is how much of the current file counts.
func (s *snapshot) length() (int64, error) {
	info, err := s.current.Stat()
	if err != nil {
		return 0, err
	}
	if s.size >= 0 {
		return min(info.Size(), s.size), nil
	}
	return info.Size(), nil
}

// scanOlder is scan over a rotated file. One that was removed meanwhile for
// its age is empty.
func scanOlder(path string, visit func(scanned) error) (torn int64, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	s := snapshot{current: f, size: -1}
	defer s.close()
	return s.scanCurrent(visit)
}
