package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"collie/crypto/atomicfile"
)

// disk is the folder of a journal; tests have one that fails on command.
type disk interface {
	Names() ([]string, error)
	// ReadAll returns the whole file and refuses one above limit.
	ReadAll(name string, limit int64) ([]byte, error)
	ReadAt(name string, into []byte, offset int64) error
	// Create makes a file of mode 0600 that must be new; Open opens one to
	// append to.
	Create(name string) (file, error)
	Open(name string) (file, error)
	Remove(name string) error
	// Sync makes the names in the folder last.
	Sync() error
	Close() error
}

// file is a segment that is appended to.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// folder is the disk of the operating system. Nothing in it is reached through
// a link that leads out of it.
type folder struct{ root *os.Root }

func openFolder(path string) (folder, error) {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return folder{}, err
	}
	root, err := os.OpenRoot(path)
	return folder{root}, err
}

func (f folder) Names() ([]string, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	return names, errors.Join(err, dir.Close())
}

func (f folder) ReadAll(name string, limit int64) ([]byte, error) {
	opened, err := f.regular(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(opened, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errors.New("file is too large")
	}
	return data, errors.Join(err, opened.Close())
}

func (f folder) ReadAt(name string, into []byte, offset int64) error {
	opened, err := f.regular(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	_, err = opened.ReadAt(into, offset)
	return errors.Join(err, opened.Close())
}

func (f folder) Create(name string) (file, error) {
	return f.open(name, os.O_CREATE|os.O_EXCL)
}

func (f folder) Open(name string) (file, error) { return f.open(name, 0) }

func (f folder) open(name string, flags int) (file, error) {
	opened, err := f.regular(name, os.O_WRONLY|os.O_APPEND|flags)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return opened, nil
}

// regular opens a regular file and nothing else, and never waits for it: a
// named pipe would hold up an open for ever.
func (f folder) regular(name string, flags int) (*os.File, error) {
	opened, err := f.root.OpenFile(name, flags|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := opened.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", name, atomicfile.ErrNotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

func (f folder) Remove(name string) error { return f.root.Remove(name) }

func (f folder) Sync() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (f folder) Close() error { return f.root.Close() }
