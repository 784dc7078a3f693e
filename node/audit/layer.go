package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A layer is what the log asks of the disk. The tests have one that fails on
// command.
type layer interface {
	// open opens or creates a regular file of mode 0600 for reading and
	// writing, following no link.
	open(path string) (file, error)
	rename(from, to string) error
	remove(path string) error
	// syncFolder makes the names in a folder last.
	syncFolder(folder string) error
}

// A file is one open file of the log.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Sync() error
	Truncate(size int64) error
}

type disk struct{}

type diskFile struct{ *os.File }

func (disk) open(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	case info.Mode().Perm() != 0o600:
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return diskFile{f}, nil
}

func (f diskFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (disk) rename(from, to string) error { return os.Rename(from, to) }

func (disk) remove(path string) error { return os.Remove(path) }

func (disk) syncFolder(folder string) error {
	f, err := os.Open(filepath.Clean(folder))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
