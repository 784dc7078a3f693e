package schedule

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/node/trust"
	"collie/node/walky"
)

const (
	fileName = "schedules.json"
	keyName  = "schedules.key"
	version  = 1
)

// A record is an entry as it stands in the file.
type record struct {
	Entry
	Pane  string `json:"pane"`
	Token string `json:"token,omitempty"`
	Seal  []byte `json:"seal"`
}

type file struct {
	Entries []record `json:"entries"`
}

func (a *Agenda) load() ([]Entry, error) {
	var stored file
	err := atomicfile.ReadJSON(filepath.Join(a.config.Folder, fileName), version, &stored)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := a.key(false)
	if err != nil {
		return nil, err
	}
	if len(stored.Entries) > maxSchedules+maxWakes {
		return nil, ErrTooMany
	}
	entries := make([]Entry, 0, len(stored.Entries))
	for _, r := range stored.Entries {
		e := r.Entry
		e.To = walky.Address{Pane: r.Pane, Token: r.Token}
		if !sealed(key, e, r.Seal) {
			return nil, fmt.Errorf("entry %q was not written by this machine", trust.Clean(e.Name, walky.MaxDoorName))
		}
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("entry %q: %w", trust.Clean(e.Name, walky.MaxDoorName), err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (a *Agenda) store(entries []Entry) error {
	key, err := a.key(true)
	if err != nil {
		return err
	}
	stored := file{Entries: []record{}}
	for _, e := range entries {
		stored.Entries = append(stored.Entries, record{Entry: e, Pane: e.To.Pane, Token: e.To.Token, Seal: seal(key, e)})
	}
	return atomicfile.WriteJSON(filepath.Join(a.config.Folder, fileName), version, stored)
}

// key reads the key of the seals, and draws it for the first entry.
func (a *Agenda) key(draw bool) ([]byte, error) {
	path := filepath.Join(a.config.Folder, keyName)
	key, err := atomicfile.Read(path, secret.KeySize)
	switch {
	case errors.Is(err, fs.ErrNotExist) && draw:
		key = secret.NewKey(a.config.Rand)
		if err := atomicfile.Write(path, key); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case len(key) != secret.KeySize:
		return nil, fmt.Errorf("%s is not a key", keyName)
	}
	return key, nil
}

// seal is HMAC-SHA256 over every field of an entry, each with its length before
// it, so that none can be read as a part of another one.
func seal(key []byte, e Entry) []byte {
	mac := hmac.New(sha256.New, key)
	for _, field := range []string{
		"collie schedule v1", string(e.Kind), e.Name, e.Cron, e.To.Pane, e.To.Token, e.Text,
		strconv.FormatInt(e.Booked.UnixMilli(), 10), strconv.FormatInt(e.Done.UnixMilli(), 10), strconv.FormatInt(e.At.UnixMilli(), 10),
	} {
		mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(field))))
		mac.Write([]byte(field))
	}
	return mac.Sum(nil)
}

func sealed(key []byte, e Entry, got []byte) bool { return hmac.Equal(got, seal(key, e)) }
