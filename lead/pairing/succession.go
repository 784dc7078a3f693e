package pairing

import (
	"errors"
	"path/filepath"
	"slices"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/mesh/trust"
)

// Using says which list counts.
func (s *Store) Using() trust.DeviceList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return trust.DeviceList(filepath.Base(s.path))
}

// Bequest returns the devices that whoever leads next has to know. When each was
// last seen is left out: it is of no use there, and changes all the time.
func (s *Store) Bequest() ([]trust.Device, error) {
	records, err := s.known()
	if err != nil {
		return nil, err
	}
	devices := make([]trust.Device, len(records))
	for i, r := range records {
		devices[i] = trust.Device{Label: r.Label, Token: r.Token, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}
	}
	return devices, nil
}

// Inherit makes a list in the folder of the present one, with exactly those
// devices on it, the one that counts. It is on the disk before it counts, and
// replaces what was there, also what could not be read.
func (s *Store) Inherit(name trust.DeviceList, devices []trust.Device) error {
	records := make([]record, len(devices))
	for i, d := range devices {
		records[i] = record{Label: d.Label, Token: d.Token, CreatedAt: d.CreatedAt, ExpiresAt: d.ExpiresAt}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	path := s.beside(name)
	if err := atomicfile.WriteJSONOn(s.Disk, path, version, list{Devices: records}); err != nil {
		return err
	}
	s.use(path)
	return nil
}

// Use makes another list in the same folder the one that counts. The devices of
// the one before end, and what was to be claimed of it with a code.
func (s *Store) Use(name trust.DeviceList) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	same := s.path == s.beside(name)
	s.mu.Unlock()
	if !same {
		s.use(s.beside(name))
	}
}

// Forget deletes lists, and with them what is in memory of the one that counts.
func (s *Store) Forget(names ...trust.DeviceList) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	var failed []error
	for _, name := range names {
		if err := s.forget(s.beside(name)); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// forget deletes a list. Nobody looks for the one that counts between its end on
// the disk and in memory. writing is held.
func (s *Store) forget(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := atomicfile.RemoveOn(s.Disk, path)
	if path == s.path {
		s.useLocked(path)
	}
	return err
}

func (s *Store) beside(name trust.DeviceList) string {
	return filepath.Join(filepath.Dir(s.path), string(name))
}

// use begins anew with a file. writing is held.
func (s *Store) use(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.useLocked(path)
}

// useLocked is use with mu held.
func (s *Store) useLocked(path string) {
	s.codes = nil
	old := slices.Clone(s.devices)
	s.path, s.devices, s.seen, s.existed, s.broken, s.dirty, s.unsaved = path, nil, nil, false, nil, false, nil
	s.revoked = map[secret.Digest]string{}
	_ = s.refreshLocked() // said in the log
	for _, e := range old {
		e.end()
	}
}
