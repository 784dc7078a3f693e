// Package state is the node's own folder on disk: where it is, who may look
// into it, and that one node at a time uses it.
//
// It also makes and calls the unix sockets that live inside, because a socket
// is only as private as every folder above it.
//
// Invariants:
//   - The folder belongs to the account that runs the node and is mode 0700;
//     what is inside is 0600, folders 0700. What is found wider is narrowed and
//     logged. What belongs to somebody else is refused, never taken over.
//   - One process holds the folder. The lock is the kernel's (flock), so it goes
//     with the process however that ends; the text in the lock file only says
//     who holds it.
//   - No check follows a link that somebody else could have placed.
//   - The umask is never touched: it belongs to the whole process.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Sub-folders of the state folder.
const (
	Panes = "panes"
	Walky = "walky"
)

const (
	lockName    = "lock"
	maxLockText = 4096 // bytes read from a lock file
)

// Refusals.
var (
	ErrNotAbsolute = errors.New("path is not absolute")
	ErrSymlink     = errors.New("path is a symbolic link")
	ErrOwner       = errors.New("it belongs to another account: give it to the one that runs the node, or move it away")
	ErrNotFolder   = errors.New("path is not a folder")
)

// A HeldError says that another process holds the state folder. PID is 0 when
// that process has not said yet who it is.
type HeldError struct {
	Dir   string    `json:"-"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("state folder %s is held by another process", e.Dir)
	}
	return fmt.Sprintf("state folder %s is held by process %d, started %s",
		e.Dir, e.PID, e.Since.UTC().Format(time.RFC3339))
}

// A Folder is a state folder that this process holds.
type Folder struct {
	dir  string
	lock *flock.Flock
}

// Open makes the folder and its sub-folders where they are missing, refuses one
// that is a link or belongs to somebody else, takes the lock, and narrows what
// is wider than it should be, with a line in log for each. A folder in use is
// refused with a *HeldError.
func Open(dir string, log *slog.Logger) (*Folder, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("state folder %q: %w", dir, ErrNotAbsolute)
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	root, err := openOwned(dir)
	if err != nil {
		return nil, fmt.Errorf("state folder %s: %w", dir, err)
	}
	defer root.Close()
	if err := narrow(root, ".", log.With("folder", dir)); err != nil {
		return nil, fmt.Errorf("state folder %s: %w", dir, err)
	}
	f := &Folder{dir: dir, lock: flock.New(filepath.Join(dir, lockName),
		flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW), flock.SetPermissions(0o600))}
	if err := f.take(); err != nil {
		return nil, err
	}
	if err := prepare(root, log.With("folder", dir)); err != nil {
		return nil, errors.Join(fmt.Errorf("state folder %s: %w", dir, err), f.Close())
	}
	return f, nil
}

// Dir returns the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// Path returns the path of something inside the folder.
func (f *Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{f.dir}, parts...)...)
}

// Close lets another process have the folder.
func (f *Folder) Close() error {
	if err := f.lock.Unlock(); err != nil {
		return fmt.Errorf("unlock state folder: %w", err)
	}
	return nil
}

func (f *Folder) take() error {
	taken, err := f.lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock state folder: %w", err)
	}
	if !taken {
		return holder(f.dir)
	}
	text, err := json.Marshal(HeldError{PID: os.Getpid(), Since: time.Now().UTC().Truncate(time.Millisecond)})
	if err == nil {
		// Written in place: a renamed file would be another file, and the lock
		// is on this one.
		err = os.WriteFile(f.Path(lockName), append(text, '\n'), 0o600)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write lock file: %w", err), f.Close())
	}
	return nil
}

// holder reads who holds dir; the text is a courtesy and may be half written.
func holder(dir string) *HeldError {
	unknown := &HeldError{Dir: dir}
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return unknown
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxLockText))
	if err != nil {
		return unknown
	}
	held := &HeldError{Dir: dir}
	if json.Unmarshal(text, held) != nil {
		return unknown
	}
	return held
}

// openOwned opens a folder that is no link and is ours.
func openOwned(dir string) (*os.Root, error) {
	before, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if before.Mode()&fs.ModeSymlink != 0 {
		return nil, ErrSymlink
	}
	if !before.IsDir() {
		return nil, ErrNotFolder
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(before, opened) {
		err = ErrSymlink // swapped between the two looks
	}
	if err == nil && !ours(opened) {
		err = ErrOwner
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// prepare makes the sub-folders, removes what cut-off writes left, and narrows
// everything.
func prepare(root *os.Root, log *slog.Logger) error {
	for _, sub := range []string{Panes, Walky} {
		if err := root.Mkdir(sub, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err := root.Lstat(sub)
		if err != nil {
			return err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s: %w", sub, ErrSymlink)
		case !info.IsDir():
			return fmt.Errorf("%s: %w", sub, ErrNotFolder)
		}
	}
	for _, dir := range []string{".", Panes, Walky} {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil {
			return err
		}
		removeLeftovers(root, dir, entries, log)
	}
	return fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a pane's socket may go at any time
		case name == lostAndFound:
			return fs.SkipDir
		case err != nil:
			return err
		}
		return narrow(root, name, log)
	})
}

// lostAndFound is what the kernel's file systems put at the root of a volume, which
// a state folder may be; see fsck(8). Nothing in it is read.
const lostAndFound = "lost+found"

// narrow takes every right of group and others away from one entry, and refuses
// one of another account. A link has no mode of its own: it is logged and left
// alone, and whoever reads files here follows none.
func narrow(root *os.Root, name string, log *slog.Logger) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		log.Warn("a link in the state folder is left alone", "path", name)
	case !ours(info):
		return fmt.Errorf("%s: %w", name, ErrOwner)
	case mode.Perm()&0o077 != 0:
		if err := root.Chmod(name, mode.Perm()&0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("narrow %s: %w", name, err)
		}
		log.Warn("narrowed", "path", name, "from", mode.Perm().String(), "to", (mode.Perm() & 0o700).String())
	}
	return nil
}
