package pairing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/node/trust"
)

// version is that of devices.json.
const version = 1

// errList is wrapped by every refusal of what is in the file.
var errList = errors.New("the list of paired devices is not valid")

// list is devices.json.
type list struct {
	Devices []record `json:"devices"`
}

// record is one device in the file. Times are RFC 3339 in UTC, with
// milliseconds at most.
type record struct {
	Label      string        `json:"label"`
	Token      secret.Digest `json:"token"`
	CreatedAt  time.Time     `json:"createdAt"`
	LastSeenAt time.Time     `json:"lastSeenAt,omitzero"`
	ExpiresAt  time.Time     `json:"expiresAt,omitzero"`
}

func (r *record) expired(now time.Time) bool {
	return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt)
}

// entry is a record in memory.
type entry struct {
	record
	ended chan struct{}
	over  bool // ended is closed
}

func (e *entry) device(now time.Time) Device {
	return Device{
		Label: e.Label, CreatedAt: e.CreatedAt, LastSeenAt: e.LastSeenAt, ExpiresAt: e.ExpiresAt,
		Expired: e.expired(now), token: e.Token, ended: e.ended,
	}
}

func (e *entry) end() {
	if !e.over {
		close(e.ended)
		e.over = true
	}
}

// parse reads the bytes of a file, all of them or nothing.
func parse(data []byte) ([]record, error) {
	var file list
	if err := atomicfile.DecodeJSON(data, version, &file); err != nil {
		return nil, err
	}
	if file.Devices == nil {
		return nil, fmt.Errorf("%w: it has no devices", errList)
	}
	if len(file.Devices) > MaxDevices {
		return nil, fmt.Errorf("%w: it has %d devices, the most is %d", errList, len(file.Devices), MaxDevices)
	}
	labels, tokens := map[string]bool{}, map[secret.Digest]bool{}
	for i, r := range file.Devices {
		clean, err := trust.Label(r.Label)
		switch {
		case err != nil || clean != r.Label:
			return nil, fmt.Errorf("%w: device %d has no valid label", errList, i+1)
		case labels[r.Label]:
			return nil, fmt.Errorf("%w: the label %q occurs twice", errList, r.Label)
		case r.Token == secret.Digest{} || tokens[r.Token]:
			return nil, fmt.Errorf("%w: the token of %q is missing or occurs twice", errList, r.Label)
		case r.CreatedAt.IsZero():
			return nil, fmt.Errorf("%w: %q has no createdAt", errList, r.Label)
		}
		labels[r.Label], tokens[r.Token] = true, true
	}
	return file.Devices, nil
}

// refresh reads the file again if it changed.
func (s *Store) refresh() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refreshLocked()
}

func (s *Store) refreshLocked() error {
	// It is looked at before it is read: a change in between is seen next time.
	info, err := os.Lstat(s.path)
	switch {
	case err == nil && atomicfile.Unchanged(s.seen, info):
		return s.broken
	case errors.Is(err, fs.ErrNotExist) && !s.existed:
		s.broken = nil
		return nil
	}
	var records []record
	s.seen = nil
	if err == nil {
		s.existed = true
		var data []byte
		if data, err = atomicfile.Read(s.path, maxFileBytes); err == nil {
			s.seen = info // what cannot be read at all is tried again
			records, err = parse(data)
		}
	}
	if err != nil {
		if s.broken == nil || s.broken.Error() != err.Error() {
			s.Log.Error("the list of paired devices cannot be used; every device is refused until the file is mended", "file", s.path, "error", err)
		}
		s.broken = err
		return err
	}
	if s.broken != nil {
		s.Log.Info("the list of paired devices can be read again", "file", s.path)
	}
	s.broken = nil
	s.adopt(records)
	return nil
}

// adopt makes records the copy in memory. Who is still listed keeps its open
// streams and the time it was last seen; who is not ends.
func (s *Store) adopt(records []record) {
	records = s.withoutRevoked(records)
	old := make(map[secret.Digest]*entry, len(s.devices))
	for _, e := range s.devices {
		old[e.Token] = e
	}
	next := make([]*entry, len(records))
	for i, r := range records {
		next[i] = &entry{record: r, ended: make(chan struct{})}
		if was := old[r.Token]; was != nil {
			delete(old, r.Token)
			if !was.over {
				next[i].ended = was.ended
			}
			if was.LastSeenAt.After(r.LastSeenAt) {
				next[i].LastSeenAt = was.LastSeenAt
			}
		}
	}
	for _, gone := range old {
		gone.end()
	}
	s.devices = next
	s.expireLocked()
	s.Changed()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// expireLocked ends the devices whose time is over and returns how long it is
// until the next one's is, flushEvery at most.
func (s *Store) expireLocked() time.Duration {
	now, next := s.Now(), flushEvery
	for _, e := range s.devices {
		switch {
		case e.ExpiresAt.IsZero():
		case e.expired(now):
			e.end()
		default:
			next = min(next, e.ExpiresAt.Sub(now))
		}
	}
	return next
}
