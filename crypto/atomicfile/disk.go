package atomicfile

import (
	"errors"
	"io"
	"os"
)

// A Disk is the steps that a replacement is made of. OS is the real one; the
// package diskfault has one that fails on command.
type Disk interface {
	// CreateTemp makes a file of mode 0600 under a new name; see os.CreateTemp.
	CreateTemp(folder, pattern string) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncFolder makes the names in a folder last.
	SyncFolder(folder string) error
}

// A File is a temporary file that is being written.
type File interface {
	io.WriteCloser
	Name() string
	// Sync makes what was written last.
	Sync() error
}

// OS is the disk of the operating system.
type OS struct{}

// CreateTemp is os.CreateTemp.
func (OS) CreateTemp(folder, pattern string) (File, error) { return os.CreateTemp(folder, pattern) }

// Rename is os.Rename.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove is os.Remove.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncFolder is fsync(2) on the folder.
func (OS) SyncFolder(folder string) error {
	opened, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
