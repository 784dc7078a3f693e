package pairing

import (
	"context"
	"fmt"
	"slices"

	"collie/crypto/secret"
	"collie/node/api"
)

// Revoke takes a device off the list: its next request is refused, its open
// streams end. That holds at once, also when neither the disk nor the audit log
// takes it; api.ErrUnsaved says that the file has the device still, and that
// the store goes on trying. Revoked once more, it is tried at once. Without such
// a device it is ErrDeviceNotFound.
func (s *Store) Revoke(ctx context.Context, label string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	records, err := s.known()
	if err != nil {
		return err
	}
	entry := entryOf(ctx, "device.revoke", label)
	if i := slices.IndexFunc(records, func(r record) bool { return r.Label == label }); i >= 0 {
		_ = s.audit(entry, "ok") // the log has said it: who is to go goes
		s.kill(records[i])
		records = slices.Delete(records, i, i+1)
	} else if !s.owes(label) {
		return ErrDeviceNotFound
	}
	if err := s.write(records); err != nil {
		_ = s.audit(entry, "unsaved")
		return s.owe(label, err)
	}
	return nil
}

// Unsaved says why a revocation is not stored yet, or nil.
func (s *Store) Unsaved() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaved
}

// kill ends a device, whatever the file says.
func (s *Store) kill(r record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked[r.Token] = r.Label
	s.devices = slices.DeleteFunc(s.devices, func(e *entry) bool {
		if e.Token != r.Token {
			return false
		}
		e.end()
		return true
	})
}

// owes says whether a device of that label is revoked and in the file still.
func (s *Store) owes(label string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, revoked := range s.revoked {
		if revoked == label {
			return true
		}
	}
	return false
}

// owe notes that a revocation is not stored, and wakes the keeper.
func (s *Store) owe(label string, reason error) error {
	s.Log.Error("a device is revoked, which is not stored yet", "device", label, "error", reason)
	s.mu.Lock()
	s.unsaved = reason
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return fmt.Errorf("%w: %w", api.ErrUnsaved.With(reason.Error()), reason)
}

// withoutRevoked leaves out who was revoked in this process, and forgets the
// tokens that the file has no more. s.mu is held.
func (s *Store) withoutRevoked(records []record) []record {
	had := map[secret.Digest]bool{}
	records = slices.DeleteFunc(records, func(r record) bool {
		had[r.Token] = true
		_, dead := s.revoked[r.Token]
		return dead
	})
	for token := range s.revoked {
		if !had[token] {
			delete(s.revoked, token)
		}
	}
	return records
}
