// Package diskfault is a disk for tests that fails on command. Every step of a
// replacement can fail in the two ways in which disks do: failed and did not
// persist, and failed but did. A test goes through Steps with both, then reads
// the file again and looks.
package diskfault

import (
	"errors"
	"fmt"
	"sync"

	"collie/crypto/atomicfile"
)

// ErrFault is wrapped by every failure that was asked for.
var ErrFault = errors.New("the disk failed on command")

// A Step is one step of a replacement.
type Step string

// The steps of a replacement in their order, and Remove, which is none of them.
const (
	Create     Step = "create"
	Write      Step = "write"
	Sync       Step = "sync"
	Close      Step = "close"
	Rename     Step = "rename"
	SyncFolder Step = "sync folder"
	Remove     Step = "remove"
)

// Steps returns the steps of a replacement in their order.
func Steps() []Step { return []Step{Create, Write, Sync, Close, Rename, SyncFolder} }

// A Disk does what the operating system does, but for the step it was told to
// fail at. The zero value works.
type Disk struct {
	mu      sync.Mutex
	failing Step
	persist bool
}

// Fail makes every following pass over step fail. With persist the step is
// carried out nevertheless.
func (d *Disk) Fail(step Step, persist bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing, d.persist = step, persist
}

// Heal ends all failing.
func (d *Disk) Heal() { d.Fail("", false) }

func (d *Disk) at(step Step, do func() error) error {
	d.mu.Lock()
	fails, persists := d.failing == step, d.persist
	d.mu.Unlock()
	if !fails {
		return do()
	}
	fault := fmt.Errorf("%w: %s", ErrFault, step)
	if persists {
		return errors.Join(fault, do())
	}
	return fault
}

// CreateTemp implements atomicfile.Disk. A file that was made though the step
// failed stays behind, as it would.
func (d *Disk) CreateTemp(folder, pattern string) (atomicfile.File, error) {
	var made atomicfile.File
	err := d.at(Create, func() (err error) {
		made, err = atomicfile.OS{}.CreateTemp(folder, pattern)
		return err
	})
	if err != nil {
		if made != nil {
			err = errors.Join(err, made.Close())
		}
		return nil, err
	}
	return &file{File: made, disk: d}, nil
}

// Rename implements atomicfile.Disk.
func (d *Disk) Rename(from, to string) error {
	return d.at(Rename, func() error { return atomicfile.OS{}.Rename(from, to) })
}

// Remove implements atomicfile.Disk.
func (d *Disk) Remove(path string) error {
	return d.at(Remove, func() error { return atomicfile.OS{}.Remove(path) })
}

// SyncFolder implements atomicfile.Disk.
func (d *Disk) SyncFolder(folder string) error {
	return d.at(SyncFolder, func() error { return atomicfile.OS{}.SyncFolder(folder) })
}

// file fails at the steps of a file. A close that fails closes all the same.
type file struct {
	atomicfile.File
	disk *Disk
}

func (f *file) Write(data []byte) (n int, err error) {
	err = f.disk.at(Write, func() (err error) {
		n, err = f.File.Write(data)
		return err
	})
	return n, err
}

func (f *file) Sync() error { return f.disk.at(Sync, f.File.Sync) }

func (f *file) Close() error {
	return errors.Join(f.disk.at(Close, func() error { return nil }), f.File.Close())
}
