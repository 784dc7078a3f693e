// Package pairing keeps the list of paired devices: who holds a token for the
// front door, until when, and how a new one is enrolled with a pairing code.
//
// The file (devices.json, or crew-devices.json of a lead that got its crew from
// another one) is the truth and memory a parsed copy of it, read again
// whenever the file changes, so that a file mended by hand needs no restart.
// A file that cannot be read, is half-written or has vanished makes every
// answer api.ErrPairingUnavailable; its bytes are never touched then.
//
// Invariants: a token is shown once and stored as its SHA-256; a pairing code
// exists only in memory, as its hash; a code enrols one device at most, and is
// dead after MaxWrongCodes wrong guesses, also when they race; a change is
// audited and on the disk before it is answered, but for a revocation, which
// holds at once and is written until it is stored; a device that was revoked, or
// whose time is over, ends its open streams (Device.Ended). The bounds are in
// limits.go.
package pairing

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/node/api"
	"collie/node/site"
)

// An Entry is what the audit log is told of a change, before it is made.
type Entry struct {
	Action  string // pair.code, device.pair, device.revoke, device.expiry, device.renew
	Device  string // the paired device that asked for it; "" from the console
	Via     string // where it came from
	What    string // the label that it is about
	Outcome string // ok, failed, unsaved
}

// Options are what a Store needs from outside. Only Audit has no default.
type Options struct {
	Now   func() time.Time
	Rand  io.Reader
	Audit func(Entry) error // an error refuses the change, but no revocation
	Log   *slog.Logger
	Disk  atomicfile.Disk
	// Changed is told that the list is another one; it returns at once and does
	// not call the store.
	Changed func()
}

// A Store is the list of paired devices and the live pairing codes. It is safe
// for concurrent use; there is one for a file.
type Store struct {
	path string
	Options

	// writing is held by whoever changes the file, for as long as the disk
	// takes. It is taken before mu; Authenticate never takes it.
	writing sync.Mutex
	codes   codes      // guarded by writing
	tries   site.Tries // has its own lock

	// mu guards the copy of the file and is held for no write.
	mu      sync.Mutex
	devices []*entry
	seen    fs.FileInfo // of the file that devices was read from; nil when none was
	existed bool        // the file has been there
	broken  error       // why the list cannot be used
	dirty   bool        // a LastSeenAt is newer than the file's
	// revoked are the labels of tokens that are dead though the file has them.
	revoked map[secret.Digest]string
	unsaved error // why a revocation is not stored yet

	changed chan struct{} // wakes the keeper
	stop    context.CancelFunc
	stopped chan struct{}
}

// A Device is a paired device as it was when it was asked for.
type Device struct {
	Label      string
	CreatedAt  time.Time
	LastSeenAt time.Time // zero: never
	ExpiresAt  time.Time // zero: never
	Expired    bool

	token secret.Digest
	ended <-chan struct{}
}

// Ended is closed when the device is revoked, its time is over, or its token
// was replaced.
func (d Device) Ended() <-chan struct{} { return d.ended }

// Open returns the store of a file. A file that is not there is an empty list;
// one that cannot be read is said in the log and by every answer.
func Open(path string, options Options) *Store {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Rand == nil {
		options.Rand = rand.Reader
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	if options.Disk == nil {
		options.Disk = atomicfile.OS{}
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Store{
		path: path, Options: options, revoked: map[secret.Digest]string{},
		changed: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{}),
	}
	_ = s.refresh() // said in the log
	go s.keep(ctx)
	return s
}

// Close writes what is only in memory and ends the store's goroutine. Devices
// stay paired; nothing may be called after it.
func (s *Store) Close() {
	s.stop()
	<-s.stopped
}

// Authenticate returns the device that holds a token. It is ErrNotPaired for an
// unknown token, ErrExpired for one whose time is over, and
// api.ErrPairingUnavailable when the list cannot be read. It does not wait for
// the disk to write.
func (s *Store) Authenticate(token string) (Device, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refreshLocked(); err != nil {
		return Device{}, api.ErrPairingUnavailable
	}
	digest := secret.Hash(token)
	var found *entry
	for _, e := range s.devices { // all of them, so that the time says nothing
		if e.Token.Equal(digest) {
			found = e
		}
	}
	if found == nil {
		return Device{}, ErrNotPaired
	}
	now := s.Now()
	if found.expired(now) {
		return Device{}, ErrExpired
	}
	if now.Sub(found.LastSeenAt) >= time.Second {
		found.LastSeenAt, s.dirty = stamp(now), true
	}
	return found.device(now), nil
}

// Devices lists the paired devices in the order in which they were paired,
// expired ones included.
func (s *Store) Devices() ([]Device, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refreshLocked(); err != nil {
		return nil, s.unavailable(err)
	}
	now := s.Now()
	list := make([]Device, len(s.devices))
	for i, e := range s.devices {
		list[i] = e.device(now)
	}
	return list, nil
}

// unavailable is the refusal for who may know the file: not for a stranger.
func (s *Store) unavailable(err error) error {
	return api.ErrPairingUnavailable.With(fmt.Sprintf("%s: %v; mend it, or move it away and start the node again", s.path, err))
}

// stamp is a time as the file holds it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
