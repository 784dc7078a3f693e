package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrBroken is wrapped by every BrokenError.
var ErrBroken = errors.New("audit log is broken")

// A BrokenError names the first line that does not stand as it was written.
type BrokenError struct {
	File   string // base name
	Line   int    // from 1, in the file
	Reason string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%v: %s line %d %s", ErrBroken, e.File, e.Line, e.Reason)
}

// Unwrap returns ErrBroken.
func (e *BrokenError) Unwrap() error { return ErrBroken }

// Kept is what a log that is whole holds. Since is zero for an empty one.
type Kept struct {
	Lines int
	Since time.Time
	// Behind is how often the record of the end was found older than the lines (see
	// RecordBehind), and BehindAt when last.
	Behind   int
	BehindAt time.Time
	// Unrecorded is how many lines follow the recorded one, of a log that no process
	// has open.
	Unrecorded int
}

// Verify reads every file of the log and returns a *BrokenError for the first line
// that was edited, removed or torn, or that says that nothing vouches for the end of
// those before it (RecordMissing). It does not hold up Write.
func (l *Log) Verify() (Kept, error) {
	s, err := l.snapshot()
	if err != nil {
		return Kept{}, fmt.Errorf("verify audit log: %w", err)
	}
	defer s.close()
	kept, err := s.verify()
	if err == nil && s.lost {
		return Kept{}, &BrokenError{filepath.Base(l.path + chainSuffix), 1, "was missing, so nothing vouches for the lines"}
	}
	return kept, err
}

// Verify is the check of a log that no process has open. One that is not there
// is fs.ErrNotExist.
func Verify(path string) (Kept, error) {
	known, err := readEndsAt(path + chainSuffix)
	if reason := unrecorded(err); reason != "" && holdsSomething(path) {
		return Kept{}, &BrokenError{filepath.Base(path + chainSuffix), 1, reason + ", so nothing vouches for the lines"}
	}
	s := snapshot{path: path, size: -1, ends: known}
	if err == nil {
		err = s.open()
	}
	if err != nil {
		return Kept{}, fmt.Errorf("verify audit log: %w", err)
	}
	defer s.close()
	return s.verify()
}

// unrecorded says why there is no record of the ends; "" for another failure.
func unrecorded(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "was removed"
	case errors.Is(err, errNoEnds):
		return "does not read as the ends of a chain"
	}
	return ""
}

// holdsSomething reports whether there is a file of a log at path with anything
// in it.
func holdsSomething(path string) bool {
	older, err := rotated(path)
	if err != nil {
		return false
	}
	for _, name := range append(older, path) {
		if info, err := os.Lstat(name); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

func (s *snapshot) verify() (Kept, error) {
	w := walk{ends: s.ends, at: s.ends.first}
	for _, path := range s.older {
		torn, err := scanOlder(path, w.visitor(path))
		if err := w.ended(torn, err); err != nil {
			return Kept{}, err
		}
	}
	torn, err := s.scanCurrent(w.visitor(s.path))
	if err := w.ended(torn, err); err != nil {
		return Kept{}, err
	}
	last := s.ends.last.seq
	if w.at.seq < last {
		return Kept{}, &BrokenError{w.file, w.n + 1, "was removed with what followed (" + numbers(w.at.seq+1, last) + ")"}
	}
	w.kept.Unrecorded = int(w.at.seq - last)
	return w.kept, nil
}

// A walk follows the chain line by line.
type walk struct {
	ends ends
	at   link // of the line before
	file string
	n    int // of the line before, in file; 0 at the file's start
	// before is the last line of the file before.
	beforeFile string
	beforeN    int
	kept       Kept
}

func (w *walk) visitor(path string) func(scanned) error {
	if w.n > 0 {
		w.beforeFile, w.beforeN = w.file, w.n
	}
	w.file, w.n = filepath.Base(path), 0
	return w.visit
}

func (w *walk) visit(s scanned) error {
	if s.err != nil {
		return &BrokenError{w.file, s.n, s.err.Error()}
	}
	want := w.at.seq + 1
	switch {
	case s.line.Seq > want:
		return &BrokenError{w.file, s.n, "follows lines that were removed (" + numbers(want, s.line.Seq-1) + ")"}
	case s.line.Seq < want:
		return &BrokenError{w.file, s.n, fmt.Sprintf("was edited or added: its number is %d, not %d", s.line.Seq, want)}
	case linkBefore(s.line) != w.at:
		return w.editedBefore(s)
	}
	w.at, w.n = linkOf(s.line, s.data), s.n
	if w.kept.Lines++; w.kept.Lines == 1 {
		w.kept.Since = s.line.time()
	}
	if w.at.seq == w.ends.last.seq && w.at != w.ends.last {
		return &BrokenError{w.file, s.n, "was edited"}
	}
	if s.line.Action != Rebuilt {
		return nil
	}
	if s.line.Outcome != RecordBehind {
		return &BrokenError{w.file, s.n, "says that the record of the chain's ends was missing: lines before it may have been removed"}
	}
	w.kept.Behind, w.kept.BehindAt = w.kept.Behind+1, s.line.time()
	return nil
}

// editedBefore blames the line before s, whose hash s does not carry.
func (w *walk) editedBefore(s scanned) error {
	reason := fmt.Sprintf("was edited: the next line (number %d) carries another hash", s.line.Seq)
	switch {
	case w.n > 0:
		return &BrokenError{w.file, w.n, reason}
	case w.beforeN > 0:
		return &BrokenError{w.beforeFile, w.beforeN, reason}
	}
	return &BrokenError{w.file, s.n, "was edited: it does not follow the recorded start"}
}

func (w *walk) ended(torn int64, err error) error {
	switch {
	case errors.Is(err, ErrBroken):
		return err
	case err != nil:
		return fmt.Errorf("verify audit log: %w", err)
	case torn > 0:
		return &BrokenError{w.file, w.n + 1, fmt.Sprintf("is torn: %d bytes without an end", torn)}
	}
	return nil
}

func numbers(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("number %d", from)
	}
	return fmt.Sprintf("numbers %d to %d", from, to)
}
