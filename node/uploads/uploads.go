// Package uploads keeps files that a person sent for a pane, for a while.
//
// Invariants:
//   - A file is there whole or not at all: it is written beside its place, synced,
//     and renamed. What a crash leaves half-written is removed at the next start.
//   - Its name is of our making: time, a random part, and what is left of the
//     sender's name. So it never meets another file, is never a path, and needs
//     no quotes in a shell.
//   - Files are 0600 in a folder of 0700, made with the first of them.
//   - A file goes after Age. Nothing is polled: a timer waits for the next one.
//
// Bounds are in limits.go.
package uploads

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"collie/crypto/atomicfile"
)

// Refusals.
var (
	ErrFull     = errors.New("there are as many uploaded files as there may be")
	ErrTooLarge = errors.New("the file is too large")
	ErrEmpty    = errors.New("the file is empty")
	ErrBroken   = errors.New("the file did not arrive whole")
	ErrFolder   = errors.New("the folder of uploads is not ours alone")
)

// Config is what a store is opened with. Every field is needed.
type Config struct {
	Folder string
	Disk   atomicfile.Disk
	Now    func() time.Time
	Rand   io.Reader
	Log    *slog.Logger
}

// A Store is the folder of uploaded files. It is safe for concurrent use.
type Store struct {
	config Config

	mu       sync.Mutex // guards what follows
	reserved int64      // bytes that uploads on their way may still need
	coming   int        // how many there are
	timer    *time.Timer
	closed   bool
}

// Open returns the store of a folder, which need not be there, and removes what
// is over.
func Open(config Config) *Store {
	s := &Store{config: config}
	s.removeHalves()
	s.Sweep()
	return s
}

// Close ends the waiting for the next file that is over.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// A File is an upload that is kept.
type File struct {
	Path string
	Name string // the last part of Path
	Type string // a MIME type, by the content
	Size int64
}

// Put keeps what comes from body. size is how much that will be, or -1. A body
// that fails or ends early leaves nothing.
func (s *Store) Put(ctx context.Context, name string, size int64, body io.Reader) (File, error) {
	release, err := s.reserve(size)
	if err != nil {
		return File{}, err
	}
	defer release()
	if err := s.prepare(); err != nil {
		return File{}, err
	}
	temporary, err := s.config.Disk.CreateTemp(s.config.Folder, ".upload.*.tmp")
	if err != nil {
		return File{}, fmt.Errorf("keep an upload: %w", err)
	}
	file, err := s.fill(ctx, temporary, size, body)
	if err == nil {
		err = s.place(temporary.Name(), name, &file)
	}
	if err != nil {
		return File{}, errors.Join(err, s.remove(temporary.Name()))
	}
	s.Sweep()
	return file, nil
}

// fill writes the body into the temporary file, syncs and closes it.
func (s *Store) fill(ctx context.Context, temporary atomicfile.File, size int64, body io.Reader) (File, error) {
	sniffer := &sniffer{}
	n, err := copyWithin(ctx, io.MultiWriter(temporary, sniffer), body)
	switch {
	case err != nil:
	case n == 0:
		err = ErrEmpty
	case n > MaxBytes:
		err = ErrTooLarge
	case size >= 0 && n != size:
		err = ErrBroken
	default:
		err = temporary.Sync()
	}
	return File{Size: n, Type: sniffer.kind()}, errors.Join(err, temporary.Close())
}

// place gives the temporary file its name, for good.
func (s *Store) place(from, name string, file *File) error {
	var random [4]byte
	if _, err := io.ReadFull(s.config.Rand, random[:]); err != nil {
		return err
	}
	file.Name = s.config.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(random[:]) + "-" + Name(name, file.Type)
	file.Path = filepath.Join(s.config.Folder, file.Name)
	if _, err := os.Lstat(file.Path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep an upload: the name is taken: %w", err)
	}
	if err := s.config.Disk.Rename(from, file.Path); err != nil {
		return errors.Join(err, s.remove(file.Path)) // it may have been done
	}
	if err := s.config.Disk.SyncFolder(s.config.Folder); err != nil {
		return errors.Join(err, s.remove(file.Path))
	}
	return nil
}

func (s *Store) remove(path string) error {
	if err := s.config.Disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// reserve keeps room for one upload until release.
func (s *Store) reserve(size int64) (release func(), err error) {
	switch {
	case size > MaxBytes:
		return nil, ErrTooLarge
	case size < 0:
		size = MaxBytes
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	files, bytes := s.kept()
	if files+s.coming >= MaxFiles || s.coming >= maxComing || bytes+s.reserved+size > MaxTotalBytes {
		return nil, ErrFull
	}
	s.coming++
	s.reserved += size
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.coming--
		s.reserved -= size
	}, nil
}

// kept counts the files that are there, half ones left out: they are reserved.
func (s *Store) kept() (files int, bytes int64) {
	s.each(func(_ string, info fs.FileInfo) {
		if !atomicfile.IsTemporary(info.Name()) {
			files++
			bytes += info.Size()
		}
	})
	return files, bytes
}

// each looks at the files of the folder, which may not be there.
func (s *Store) each(do func(path string, info fs.FileInfo)) {
	folder, err := os.Open(s.config.Folder)
	if err != nil {
		return
	}
	defer func() { _ = folder.Close() }()
	entries, err := folder.ReadDir(maxEntries)
	if err != nil {
		return // it is empty
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			do(filepath.Join(s.config.Folder, entry.Name()), info)
		}
	}
}

// prepare makes the folder, and refuses one that is not ours alone.
func (s *Store) prepare() error {
	if err := os.Mkdir(s.config.Folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(s.config.Folder)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() {
		return ErrFolder
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(s.config.Folder, 0o700)
	}
	return nil
}

// removeHalves removes what an earlier run left half-written.
func (s *Store) removeHalves() {
	s.each(func(path string, info fs.FileInfo) {
		if atomicfile.IsTemporary(info.Name()) {
			s.drop(path)
		}
	})
}

// Sweep removes what is over and waits for the next one.
func (s *Store) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	now := s.config.Now()
	var next time.Duration
	s.each(func(path string, info fs.FileInfo) {
		left := info.ModTime().Add(Age).Sub(now)
		switch {
		case atomicfile.IsTemporary(info.Name()): // it is being written, or goes at the next start
		case left <= 0:
			s.drop(path)
		case next == 0 || left < next:
			next = left
		}
	})
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.timer = nil; next > 0 {
		s.timer = time.AfterFunc(next+time.Second, s.Sweep)
	}
}

func (s *Store) drop(path string) {
	if err := s.remove(path); err != nil {
		s.config.Log.Warn("an uploaded file that is over could not be removed", "path", path, "error", err)
	}
}

// copyWithin copies until the end, a byte too many, or the end of ctx.
func copyWithin(ctx context.Context, to io.Writer, from io.Reader) (int64, error) {
	n, err := io.Copy(to, io.LimitReader(reader{ctx, from}, MaxBytes+1))
	if err != nil && ctx.Err() == nil && errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return n, err
}

// A reader ends with its context.
type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
