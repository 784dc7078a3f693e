package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rotated returns the paths of the rotated files, oldest first.
func rotated(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, entry := range entries {
		suffix, ours := strings.CutPrefix(entry.Name(), filepath.Base(path)+".")
		n, err := strconv.ParseUint(suffix, 10, 63)
		if ours && err == nil && strconv.FormatUint(n, 10) == suffix {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	paths := make([]string, len(numbers))
	for i, n := range numbers {
		paths[i] = rotatedPath(path, n)
	}
	return paths, nil
}

func rotatedPath(path string, n uint64) string { return fmt.Sprintf("%s.%d", path, n) }

// rotate moves the current file aside, all of it on the disk, and starts a new
// one. The chain goes on.
func (l *Log) rotate(now time.Time) error {
	if err := l.sync(); err != nil {
		return err
	}
	if err := l.chain.Sync(); err != nil { // Open looks for the recorded line in the last file
		return err
	}
	earlier, err := rotated(l.path)
	if err != nil {
		return err
	}
	n := uint64(1)
	if len(earlier) > 0 {
		latest := earlier[len(earlier)-1]
		last, err := strconv.ParseUint(latest[len(l.path)+1:], 10, 63)
		if err != nil {
			return err
		}
		n = last + 1
	}
	// A file that is not there was moved by a rotation that then failed.
	if err := l.options.layer.Rename(l.path, rotatedPath(l.path, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	full := l.current
	l.current = nil
	if err := errors.Join(full.Close(), l.openCurrent()); err != nil {
		return err
	}
	l.prune(now)
	return nil
}

// prune removes rotated files whose last line is older than Keep, oldest
// first. The start of the chain is moved before a file goes.
func (l *Log) prune(now time.Time) {
	l.pruned = now
	if err := l.removeOld(now); err != nil {
		l.options.Log.Warn("audit log: old files not removed", "error", err)
	}
}

func (l *Log) removeOld(now time.Time) error {
	if l.owed != nil {
		return nil // the new start could not be recorded
	}
	if err := l.sync(); err != nil { // the ends of the chain are recorded below
		return err
	}
	paths, err := rotated(l.path)
	if err != nil {
		return err
	}
	var old []string
	for _, path := range paths {
		last, at, err := lastOf(path)
		if err != nil {
			return err
		}
		if now.Sub(at) <= Keep {
			break
		}
		old = append(old, path)
		if last != (link{}) {
			l.ends.first = last
		}
	}
	if len(old) == 0 {
		return nil
	}
	l.saveEnds(l.ends)
	if err := l.chain.Sync(); err != nil {
		return err
	}
	for _, path := range old {
		if err := l.options.layer.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return l.options.layer.SyncFolder(filepath.Dir(l.path))
}

// lastOf returns the last line of a file and when it was written. A file
// without a line that reads as one has the zero link and the file's own time.
func lastOf(path string) (last link, at time.Time, err error) {
	if _, err := scanOlder(path, func(s scanned) error {
		if s.err == nil {
			last, at = linkOf(s.line, s.data), s.line.time()
		}
		return nil
	}); err != nil {
		return link{}, time.Time{}, err
	}
	if last == (link{}) {
		info, err := os.Lstat(path)
		if err != nil {
			return link{}, time.Time{}, err
		}
		at = info.ModTime()
	}
	return last, at, nil
}
