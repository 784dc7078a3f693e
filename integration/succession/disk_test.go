package succession_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"collie/crypto/atomicfile"
	"collie/mesh/trust"
)

// A fault is what happens at one write of a store.
type fault int

const (
	noFault     fault = iota
	crashBefore       // the machine crashes before the write counts
	crashAfter        // and just after
	diskFull          // the disk has no room
	lostRename        // the write fails and does not persist
	keptRename        // it fails and does
	allFaults
)

func (f fault) String() string {
	return [...]string{"no fault", "crash before", "crash after", "disk full", "lost rename", "kept rename"}[f]
}

var errDisk = errors.New("the disk failed on command")

// A disk is what of a machine outlives its crashes: the file of its store, and
// its lists of paired devices.
type disk struct {
	store []byte
	lists map[trust.DeviceList][]trust.Device
}

// A session is a disk as one process sees it: once the process has crashed,
// nothing that goes on in its memory reaches the disk.
type session struct {
	process *process
	files   map[string][]byte
	fault   fault
}

// write does one write whose fault is known.
func (s *session) write(do func()) error {
	switch s.fault {
	case crashBefore:
		s.process.crash()
		return errDisk
	case crashAfter:
		do()
		s.process.crash()
		return errDisk
	case diskFull, lostRename:
		return errDisk
	case keptRename:
		do()
		return errDisk
	}
	do()
	return nil
}

// begin looks up what happens at the next write.
func (s *session) begin() error {
	if s.process.dead.Load() {
		return errDisk
	}
	m := s.process.machine
	m.writes++
	s.fault = m.world.faultOfWrite(m)
	if s.fault == diskFull {
		return errDisk
	}
	return nil
}

// numbered names the write that a machine is about to do in every telling of a story.
func (w *world) numbered(m *machine) string { return fmt.Sprintf("write %d of %s", m.writes, m.name) }

type file struct {
	bytes.Buffer
	name    string
	session *session
}

func (f *file) Name() string { return f.name }
func (f *file) Sync() error  { return nil }
func (f *file) Close() error { f.session.files[f.name] = f.Bytes(); return nil }

// CreateTemp implements atomicfile.Disk.
func (s *session) CreateTemp(folder, _ string) (atomicfile.File, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	return &file{name: filepath.Join(folder, strconv.Itoa(len(s.files))), session: s}, nil
}

// Rename implements atomicfile.Disk. It is the moment in which a write counts.
func (s *session) Rename(from, _ string) error {
	if s.process.dead.Load() {
		return errDisk
	}
	return s.write(func() { s.process.machine.disk.store = s.files[from] })
}

// Remove implements atomicfile.Disk.
func (s *session) Remove(string) error { return nil }

// SyncFolder implements atomicfile.Disk.
func (s *session) SyncFolder(string) error { return nil }

// adopt writes the list of devices that came with a crew.
func (s *session) adopt(devices []trust.Device) error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.write(func() { s.process.machine.disk.lists[trust.DevicesCrew] = devices })
}

// forget deletes lists.
func (s *session) forget(lists []trust.DeviceList) error {
	held := s.process.machine.disk.lists
	for _, list := range lists {
		if _, some := held[list]; !some {
			continue
		}
		if err := s.begin(); err != nil {
			return err
		}
		if err := s.write(func() { delete(held, list) }); err != nil {
			return err
		}
	}
	return nil
}
