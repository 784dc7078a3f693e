// Package atomicfile replaces a file so that whoever reads it, also after a
// crash at any moment, finds either all of the old bytes or all of the new
// ones, and reads files that must be what they claim to be.
//
// A replacement is a temporary file in the same folder, written, synced,
// renamed over the old one, and then a sync of the folder, because a rename
// that is not synced may be undone by a loss of power. Files are made 0600.
// Two writers of one path never tear it, but the last one wins: whoever has
// something to lose by that keeps one writer per file.
//
// A write can fail in two ways. Before the rename the old file is what will be
// read. From the rename on the new one may be what is read: such an error
// wraps ErrMayPersist.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// Named refusals. Each error of this package also says the path.
var (
	// ErrMayPersist says that a write failed and that its bytes may be read
	// nevertheless.
	ErrMayPersist = errors.New("the new content may or may not be kept")
	// ErrTooLarge says that a file has more bytes than its reader allows.
	ErrTooLarge = errors.New("the file is too large")
	// ErrNotRegular says that a path is a folder, a link or a device.
	ErrNotRegular = errors.New("not a regular file")
)

// temporaryName is what CreateTemp makes of the pattern in replace.
var temporaryName = regexp.MustCompile(`^\..+\.[0-9]+\.tmp$`)

// IsTemporary says whether a file of that name may be what a replacement left
// behind that was cut off. Whoever keeps a folder for itself may remove it while
// nothing is being replaced there: it may hold a secret.
func IsTemporary(name string) bool { return temporaryName.MatchString(name) }

// Write replaces the file at path by data, on the real disk.
func Write(path string, data []byte) error { return WriteOn(OS{}, path, data) }

// WriteOn is Write on a given disk.
func WriteOn(disk Disk, path string, data []byte) error {
	if err := replace(disk, path, data); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func replace(disk Disk, path string, data []byte) error {
	staged, err := stage(disk, path, data)
	if err != nil {
		return err
	}
	return staged.commit()
}

// A Staged file has its bytes on the disk, and not its name yet: it takes no more
// room to commit it.
type Staged struct {
	disk            Disk
	temporary, path string
}

// StageOn writes what is to replace the file at path, which stays as it is until
// Commit. Whoever does not come to that calls Discard.
func StageOn(disk Disk, path string, data []byte) (*Staged, error) {
	s, err := stage(disk, path, data)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return s, nil
}

func stage(disk Disk, path string, data []byte) (*Staged, error) {
	folder, name := filepath.Split(path)
	file, err := disk.CreateTemp(filepath.Clean(folder), "."+name+".*.tmp")
	if err != nil {
		return nil, err
	}
	s := &Staged{disk, file.Name(), path}
	if err := fill(file, data); err != nil {
		return nil, errors.Join(err, s.Discard())
	}
	return s, nil
}

// Commit replaces the file. A failure wraps ErrMayPersist.
func (s *Staged) Commit() error {
	if err := s.commit(); err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path, err)
	}
	return nil
}

func (s *Staged) commit() error {
	if err := s.disk.Rename(s.temporary, s.path); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrMayPersist, err), s.Discard())
	}
	if err := s.disk.SyncFolder(filepath.Dir(s.path)); err != nil {
		return fmt.Errorf("%w: %w", ErrMayPersist, err)
	}
	return nil
}

// Discard removes what was staged, unless it was committed.
func (s *Staged) Discard() error { return ignoreMissing(s.disk.Remove(s.temporary)) }

// fill writes and syncs the file and closes it in any case.
func fill(file File, data []byte) error {
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// Remove deletes the file at path and syncs its folder. A file that is not
// there is no error.
func Remove(path string) error { return RemoveOn(OS{}, path) }

// RemoveOn is Remove on a given disk.
func RemoveOn(disk Disk, path string) error {
	if err := ignoreMissing(disk.Remove(path)); err != nil {
		return err
	}
	if err := disk.SyncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("cannot remove %s for good: %w", path, err)
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Read returns the content of a regular file of at most limit bytes. It follows
// no link in the last part of path. A file that is not there is fs.ErrNotExist.
func Read(path string, limit int64) ([]byte, error) {
	// O_NONBLOCK, so that a named pipe cannot hold up the open.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("cannot read %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written to it
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("cannot read %s: %w", path, ErrNotRegular)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("cannot read %s: %w: the most is %d bytes", path, ErrTooLarge, limit)
	}
	return data, nil
}

// Unchanged says whether two looks at a path saw one file that nobody wrote to
// in between, as far as its size, mode and time tell. A nil before is no look.
func Unchanged(before, after fs.FileInfo) bool {
	return before != nil && os.SameFile(before, after) && before.Size() == after.Size() &&
		before.Mode() == after.Mode() && before.ModTime().Equal(after.ModTime())
}
