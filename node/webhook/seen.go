package webhook

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"collie/crypto/atomicfile"
)

// A mark is what is remembered of one delivery: by its id, or by its body.
type mark [16]byte

// markOf keeps the kinds of marks apart.
func markOf(kind, text string) mark {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return mark(sum[:len(mark{})])
}

// seen is the deliveries of one channel, across restarts: a file of marks that is
// appended to and synced before a delivery is answered. It is read when the first
// one comes. What a crash left half at its end is cut off. Whoever has the
// channel's turn uses it alone.
type seen struct {
	path  string
	log   *slog.Logger
	known map[mark]bool
	order []mark
}

// has says whether one of the marks was seen.
func (s *seen) has(marks ...mark) (bool, error) {
	if err := s.load(); err != nil {
		return false, err
	}
	for _, m := range marks {
		if s.known[m] {
			return true, nil
		}
	}
	return false, nil
}

// add remembers marks, on the disk when it returns nil.
func (s *seen) add(marks ...mark) error {
	if err := s.load(); err != nil {
		return err
	}
	if len(s.order)+len(marks) > 2*maxSeen {
		if err := s.shorten(); err != nil {
			return err
		}
	}
	var data []byte
	for _, m := range marks {
		data = append(data, m[:]...)
	}
	if err := s.append(data); err != nil {
		s.known, s.order = nil, nil // whether it is there is read again
		return err
	}
	s.take(marks)
	return nil
}

func (s *seen) take(marks []mark) {
	for _, m := range marks {
		s.known[m] = true
	}
	s.order = append(s.order, marks...)
}

func (s *seen) append(data []byte) (err error) {
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("cannot remember a delivery: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot remember a delivery: %w", err)
	}
	return nil
}

// load reads the file once.
func (s *seen) load() error {
	if s.known != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of what the channels have seen: %w", err)
	}
	data, err := atomicfile.Read(s.path, 4*maxSeen*int64(len(mark{})))
	if errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Write(s.path, nil) // so that its name is on the disk before the first mark
	}
	if err != nil {
		return fmt.Errorf("what a channel has seen cannot be read: %w", err)
	}
	if torn := len(data) % len(mark{}); torn != 0 {
		s.log.Warn("a torn delivery at the end is dropped", "file", s.path)
		data = data[:len(data)-torn]
		if err := os.Truncate(s.path, int64(len(data))); err != nil {
			return fmt.Errorf("cannot mend what a channel has seen: %w", err)
		}
	}
	s.known, s.order = map[mark]bool{}, nil
	for reader := bytes.NewReader(data); ; {
		var m mark
		if _, err := io.ReadFull(reader, m[:]); err != nil {
			return nil
		}
		s.take([]mark{m})
	}
}

// shorten forgets all but the newest.
func (s *seen) shorten() error {
	kept := s.order[len(s.order)-maxSeen:]
	var data []byte
	for _, m := range kept {
		data = append(data, m[:]...)
	}
	if err := atomicfile.Write(s.path, data); err != nil {
		return err
	}
	s.known, s.order = map[mark]bool{}, nil
	s.take(kept)
	return nil
}

// forget removes all that was seen.
func (s *seen) forget() error {
	s.known, s.order = nil, nil
	if err := atomicfile.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove what a channel has seen: %w", err)
	}
	return nil
}
