package pairing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/node/api"
)

// SetExpiry gives a device a new lifetime, counted from now. An expired device
// comes back with the token that it has.
func (s *Store) SetExpiry(ctx context.Context, label string, lifetime time.Duration) error {
	if lifetime <= 0 || lifetime > MaxLifetime {
		return ErrLifetime
	}
	return s.change(ctx, "device.expiry", label, func(records []record, i int) []record {
		records[i].ExpiresAt = stamp(s.Now().Add(lifetime))
		return records
	})
}

// ClearExpiry lets a device stay until it is revoked.
func (s *Store) ClearExpiry(ctx context.Context, label string) error {
	return s.change(ctx, "device.expiry", label, func(records []record, i int) []record {
		records[i].ExpiresAt = time.Time{}
		return records
	})
}

// Renew replaces the token of an authenticated device; the old one is dead
// when it returns, and what was opened with it ends. A token that was replaced
// or revoked meanwhile is ErrNotPaired.
func (s *Store) Renew(ctx context.Context, device Device) (token string, err error) {
	token = secret.NewToken(s.Rand)
	s.writing.Lock()
	defer s.writing.Unlock()
	records, err := s.records()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(records, func(r record) bool { return r.Token.Equal(device.token) })
	switch {
	case i < 0:
		return "", ErrNotPaired
	case records[i].expired(s.Now()):
		return "", ErrExpired
	}
	records[i].Token = secret.Hash(token)
	if err := s.commit(records, entryOf(ctx, "device.renew", records[i].Label)); err != nil {
		return "", err
	}
	return token, nil
}

// change edits the record of one label.
func (s *Store) change(ctx context.Context, action, label string, edit func(records []record, i int) []record) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	records, err := s.known()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(records, func(r record) bool { return r.Label == label })
	if i < 0 {
		return ErrDeviceNotFound
	}
	return s.commit(edit(records, i), entryOf(ctx, action, label))
}

// entryOf describes a change that the device of ctx asks for, or the console.
func entryOf(ctx context.Context, action, label string) Entry {
	e := Entry{Action: action, Device: api.Device(ctx), Via: "console", What: label}
	if e.Device != "" {
		e.Via = "phone"
	}
	return e
}

// records copies the list to be changed for a stranger; the caller holds
// writing.
func (s *Store) records() ([]record, error) {
	records, err := s.known()
	if err != nil {
		return nil, api.ErrPairingUnavailable
	}
	return records, nil
}

// known is records for who may know what is wrong with the file.
func (s *Store) known() ([]record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refreshLocked(); err != nil {
		return nil, s.unavailable(err)
	}
	records := make([]record, len(s.devices), len(s.devices)+1)
	for i, e := range s.devices {
		records[i] = e.record
	}
	return records, nil
}

// commit audits a change, writes it and takes it over; the caller holds
// writing. When the disk fails, memory is what the disk then says.
func (s *Store) commit(records []record, entries ...Entry) error {
	for _, e := range entries {
		if err := s.audit(e, "ok"); err != nil {
			return err
		}
	}
	err := s.write(records)
	if err == nil {
		return nil
	}
	for _, e := range entries {
		_ = s.audit(e, "failed") // the change has failed already
	}
	return fmt.Errorf("change the paired devices: %w", err)
}

// audit tells the audit log of a change.
func (s *Store) audit(e Entry, outcome string) error {
	e.Outcome = outcome
	if err := s.Audit(e); err != nil {
		s.Log.Error("a change of the paired devices cannot be audited", "action", e.Action, "error", err)
		return api.ErrAuditUnavailable
	}
	return nil
}

// write replaces the file and reads it back, whatever came of it.
func (s *Store) write(records []record) error {
	err := atomicfile.WriteJSONOn(s.Disk, s.path, version, list{Devices: records})
	if err == nil {
		s.mu.Lock()
		s.unsaved = nil // no list to write has a revoked token
		s.mu.Unlock()
	}
	if refreshed := s.refresh(); err == nil {
		err = refreshed
	}
	return err
}
