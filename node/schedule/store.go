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
}

// One seal is over all entries, so that none can be taken out, doubled or
// brought back either.
type file struct {
	Entries []record `json:"entries"`
	Seal    []byte   `json:"seal"`
}

func (a *Agenda) load() ([]Entry, error) {
	var stored file
	errFile := atomicfile.ReadJSON(filepath.Join(a.config.Folder, fileName), version, &stored)
	key, err := a.key(false)
	missing := errors.Is(errFile, fs.ErrNotExist)
	switch {
	case missing && (err == nil || errors.Is(err, fs.ErrNotExist)):
		return nil, nil
	case errFile != nil && !missing:
		return nil, errFile
	case err != nil:
		return nil, err
	}
	if len(stored.Entries) > maxSchedules+maxWakes {
		return nil, ErrTooMany
	}
	entries := make([]Entry, 0, len(stored.Entries))
	for _, r := range stored.Entries {
		e := r.Entry
		e.To = walky.Address{Pane: r.Pane, Token: r.Token}
		entries = append(entries, e)
	}
	if !hmac.Equal(stored.Seal, seal(key, entries)) {
		return nil, fmt.Errorf("%s was not written by this machine", fileName)
	}
	for _, e := range entries {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("entry %q: %w", trust.Clean(e.Name, walky.MaxDoorName), err)
		}
	}
	return entries, nil
}

func (a *Agenda) store(entries []Entry) error {
	key, err := a.key(true)
	if err != nil {
		return err
	}
	stored := file{Entries: []record{}, Seal: seal(key, entries)}
	for _, e := range entries {
		stored.Entries = append(stored.Entries, record{Entry: e, Pane: e.To.Pane, Token: e.To.Token})
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

// seal is HMAC-SHA256 over every field of every entry, each with its length
// before it, so that none can be read as a part of another one.
func seal(key []byte, entries []Entry) []byte {
	mac := hmac.New(sha256.New, key)
	write := func(field string) {
		mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(field))))
		mac.Write([]byte(field))
	}
	write("collie schedules v1")
	for _, e := range entries {
		for _, field := range []string{
			string(e.Kind), e.Name, e.Cron, e.To.Pane, e.To.Token, e.Text,
			strconv.FormatInt(e.Booked.UnixMilli(), 10), strconv.FormatInt(e.Done.UnixMilli(), 10), strconv.FormatInt(e.At.UnixMilli(), 10),
		} {
			write(field)
		}
	}
	return mac.Sum(nil)
}
