package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"collie/crypto/atomicfile"
	"collie/mesh/notify"
)

const (
	// FileName is the name of the store's file in the state folder.
	FileName = "crew.json"
	version  = 1
)

// ErrNotStored says that the disk refused a change, so that there is none.
var ErrNotStored = errors.New("the change cannot be stored")

// A RefusedError says that the stored crew cannot be believed. The file stays
// as it is, for a person to look at.
type RefusedError struct {
	Path   string
	Reason error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the state file %s is refused and left as it is: %v", e.Path, e.Reason)
}

func (e *RefusedError) Unwrap() error { return e.Reason }

// A Store keeps the crew of one node in memory and on the disk.
type Store struct {
	path string
	disk atomicfile.Disk

	current atomic.Pointer[Crew]

	// mu makes one writer: it is held from reading the old crew until the new
	// one is visible.
	mu       sync.Mutex
	watchers notify.Hub

	unsaved atomic.Pointer[UnsavedError] // nil while the file says what is visible
	owed    chan struct{}                // wakes Keep when unsaved is set
}

// Open reads the crew at path. An absent file is a solo node. A file that
// cannot be believed is a *RefusedError and no store, so that nothing can be
// written over it. What time has ended since the file was written is left out
// of the crew, and of the file with the next change.
func Open(path string, now func() time.Time) (*Store, error) {
	return OpenOn(atomicfile.OS{}, path, now)
}

// OpenOn is Open with a given disk for what is written.
func OpenOn(disk atomicfile.Disk, path string, now func() time.Time) (*Store, error) {
	s := &Store{path: path, disk: disk, owed: make(chan struct{}, 1)}
	data, err := atomicfile.Read(path, atomicfile.MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, &RefusedError{Path: path, Reason: err}
	}
	crew, err := decode(data)
	if err != nil {
		return nil, &RefusedError{Path: path, Reason: err}
	}
	s.current.Store(Sweep(crew, now()))
	return s, nil
}

// decode reads the bytes of a crew file.
func decode(data []byte) (*Crew, error) {
	var crew Crew
	if err := atomicfile.DecodeJSON(data, version, &crew); err != nil {
		return nil, err
	}
	if err := crew.check(); err != nil {
		return nil, err
	}
	return &crew, nil
}

// Crew returns the live snapshot, or nil on a solo node. Do not change it.
func (s *Store) Crew() *Crew { return s.current.Load() }

// Update replaces the crew by what change returns; nil makes the node solo, old
// itself changes nothing. One change runs at a time; it must not call the store.
// The new crew is visible once it is on the disk. When the disk refuses, Update
// returns why, and of the change only what takes rights away is visible; Keep
// and Flush store it later. Where that is all of the change, the error is an
// *UnsavedError.
func (s *Store) Update(change func(old *Crew) (*Crew, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.current.Load()
	next, err := change(old)
	if err != nil || next == old {
		return err
	}
	err = s.write(next)
	if err == nil {
		s.unsaved.Store(nil)
		s.publish(next)
		return nil
	}
	if errors.Is(err, ErrInvalid) {
		return err
	}
	kept := withoutGains(old, next)
	if !reflect.DeepEqual(kept, old) {
		s.publish(kept)
	} else if !errors.Is(err, atomicfile.ErrMayPersist) {
		return notStored(err) // nothing was lost, and the file is as it was
	}
	unsaved := s.owe(err)
	if reflect.DeepEqual(kept, next) {
		return unsaved
	}
	return notStored(err)
}

func notStored(reason error) error { return fmt.Errorf("%w: %w", ErrNotStored, reason) }

// Try writes the file once more as it is, and so says whether the disk takes a
// change, without one. It refuses with ErrNotStored.
func (s *Store) Try() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(s.current.Load()); err != nil {
		return notStored(err)
	}
	s.unsaved.Store(nil)
	return nil
}

func (s *Store) write(next *Crew) error {
	if next == nil {
		return atomicfile.RemoveOn(s.disk, s.path)
	}
	if err := next.check(); err != nil {
		return err
	}
	return atomicfile.WriteJSONOn(s.disk, s.path, version, next)
}

// publish makes a crew visible and tells the watchers. s.mu is held.
func (s *Store) publish(crew *Crew) {
	s.current.Store(crew)
	s.watchers.Signal()
}

// Watch returns a channel that gets a signal after every visible change; what
// happens before the signal is taken is one signal. stop ends it.
func (s *Store) Watch() (changed <-chan struct{}, stop func()) { return s.watchers.Watch() }

// withoutGains returns old less every right that next does not have: the pins
// and invites that are gone, the secret that was replaced. What next grants
// anew is left out. Of a change of role or lead all or nothing counts.
func withoutGains(old, next *Crew) *Crew {
	if old == nil || next == nil {
		return nil
	}
	if whole := changeOfLead(old, next); whole != nil {
		return whole
	}
	kept := old.clone()
	kept.loseOffices(next)
	// Nobody has been given the new secret yet, and the old one is no good. Who
	// is owed the new one gets it once it is stored.
	kept.Secret, kept.SecretGeneration, kept.Rotation = next.Secret, next.SecretGeneration, next.Rotation
	kept.RetiredIDs = next.RetiredIDs
	kept.Members = slices.DeleteFunc(kept.Members, func(m Member) bool {
		return !next.has(m.Fingerprint)
	})
	for i := range kept.Members {
		if m := &kept.Members[i]; next.Grade(m.Fingerprint) == GradeUnconfirmed {
			m.State = next.Members[next.indexOf(m.ID)].State
		}
	}
	kept.Invites = slices.DeleteFunc(kept.Invites, func(i Invite) bool {
		return !slices.Contains(next.Invites, i)
	})
	return kept
}
