package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"collie/crypto/atomicfile"
)

// A layer is what the log asks of the disk. The tests have one that fails on
// command.
type layer interface {
	// open opens or creates a regular file of mode 0600 for reading and
	// writing, following no link.
	open(path string) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncFolder makes the names in a folder last.
	SyncFolder(folder string) error
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

type disk struct{ atomicfile.OS }

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
