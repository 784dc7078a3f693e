package state_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/crypto/need"
	"collie/node/state"
)

// private returns a 0700 folder below the test's own.
func private(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(append([]string{t.TempDir()}, parts...)...)
	must(t, os.MkdirAll(dir, 0o700))
	return dir
}

func TestSocketBeyondTheKernelsLimit(t *testing.T) {
	t.Parallel()
	dir := private(t, strings.Repeat("long", 30), strings.Repeat("path", 30))
	listener, err := state.ListenUnix(dir, "control.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	path := filepath.Join(dir, "control.sock")
	if got := mode(t, path); got != 0o600 {
		t.Errorf("mode of the socket is %o, want 600", got)
	}
	conn, err := state.DialUnix(t.Context(), dir, "control.sock")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestStaleSocketIsReplacedAndALiveOneIsNot(t *testing.T) {
	t.Parallel()
	dir := private(t, "s")
	first, err := state.ListenUnix(dir, "a.sock")
	must(t, err)
	if _, err := state.ListenUnix(dir, "a.sock"); !errors.Is(err, state.ErrSocketInUse) {
		t.Fatalf("second listener: %v, want ErrSocketInUse", err)
	}
	if err := state.RemoveUnix(dir, "a.sock"); !errors.Is(err, state.ErrSocketInUse) {
		t.Fatalf("removing a live socket: %v, want ErrSocketInUse", err)
	}
	must(t, first.Close())
	second, err := state.ListenUnix(dir, "a.sock")
	if err != nil {
		t.Fatalf("listener after the first closed: %v", err)
	}
	must(t, second.Close())
	must(t, state.RemoveUnix(dir, "a.sock"))
	if _, err := os.Lstat(filepath.Join(dir, "a.sock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed socket: %v, want not exist", err)
	}
	must(t, state.RemoveUnix(dir, "a.sock"))
}

// What a child that is being started still has of a closed socket answers, and
// says nothing about whose file it is.
func TestASocketIsRemovedByWhoMadeItAlsoWhileItStillAnswers(t *testing.T) {
	t.Parallel()
	dir := private(t, "s")
	socket, err := state.ListenUnix(dir, "a.sock")
	must(t, err)
	inherited, err := socket.File()
	must(t, err)
	defer inherited.Close()
	must(t, socket.Close())
	if err := state.RemoveUnix(dir, "a.sock"); !errors.Is(err, state.ErrSocketInUse) {
		t.Fatalf("removed by somebody else: %v, want ErrSocketInUse", err)
	}
	must(t, socket.Remove())
	if _, err := os.Lstat(filepath.Join(dir, "a.sock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed socket: %v, want not exist", err)
	}
	other, err := state.ListenUnix(dir, "a.sock")
	must(t, err)
	defer other.Close()
	must(t, os.Rename(filepath.Join(dir, "a.sock"), filepath.Join(dir, "b.sock")))
	must(t, os.WriteFile(filepath.Join(dir, "a.sock"), nil, 0o600))
	must(t, other.Remove())
	if _, err := os.Lstat(filepath.Join(dir, "a.sock")); err != nil {
		t.Errorf("a file that is not the socket: %v", err)
	}
}

func TestListenLeavesWhatIsNoSocket(t *testing.T) {
	t.Parallel()
	dir := private(t, "s")
	path := filepath.Join(dir, "a.sock")
	must(t, os.WriteFile(path, []byte("precious"), 0o600))
	if _, err := state.ListenUnix(dir, "a.sock"); !errors.Is(err, state.ErrNotSocket) {
		t.Fatalf("listen on a file: %v, want ErrNotSocket", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
		t.Errorf("the file now holds %q, %v", text, err)
	}
	must(t, os.Remove(path))
	must(t, os.Symlink("elsewhere", path))
	if _, err := state.ListenUnix(dir, "a.sock"); !errors.Is(err, state.ErrNotSocket) {
		t.Fatalf("listen on a link: %v, want ErrNotSocket", err)
	}
}

func TestDialChecksTheSocket(t *testing.T) {
	t.Parallel()
	dir := private(t, "s")
	listener, err := state.ListenUnix(dir, "a.sock")
	must(t, err)
	defer listener.Close()
	must(t, os.Symlink("a.sock", filepath.Join(dir, "b.sock")))
	if _, err := state.DialUnix(t.Context(), dir, "b.sock"); !errors.Is(err, state.ErrNotSocket) {
		t.Errorf("dial through a link: %v, want ErrNotSocket", err)
	}
	must(t, os.Chmod(filepath.Join(dir, "a.sock"), 0o660))
	if _, err := state.DialUnix(t.Context(), dir, "a.sock"); !errors.Is(err, state.ErrSocketMode) {
		t.Errorf("dial of an open socket: %v, want ErrSocketMode", err)
	}
	if _, err := state.DialUnix(t.Context(), dir, "none.sock"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dial of nothing: %v, want not exist", err)
	}
	for _, name := range []string{"", ".", "..", "/", "x/y", "../s/a.sock"} {
		if _, err := state.DialUnix(t.Context(), dir, name); !errors.Is(err, state.ErrSocketName) {
			t.Errorf("dial of name %q: %v, want ErrSocketName", name, err)
		}
	}
}

func TestEveryPartOfThePathIsChecked(t *testing.T) {
	t.Parallel()
	foreign := func(t *testing.T, path string) {
		t.Helper()
		need.Root(t, "to give a file away")
		must(t, os.Lchown(path, 12345, 12345))
	}
	for _, tc := range []struct {
		name  string
		want  error
		spoil func(t *testing.T, base string)
	}{
		{"folder open to others", state.ErrNotPrivate, func(t *testing.T, base string) {
			must(t, os.Chmod(filepath.Join(base, "up", "s"), 0o750))
		}},
		{"folder of somebody else", state.ErrOwner, func(t *testing.T, base string) {
			foreign(t, filepath.Join(base, "up", "s"))
		}},
		{"parent of somebody else", state.ErrForeignFolder, func(t *testing.T, base string) {
			foreign(t, filepath.Join(base, "up"))
		}},
		{"parent that others may write", state.ErrWritable, func(t *testing.T, base string) {
			must(t, os.Chmod(filepath.Join(base, "up"), 0o777))
		}},
		{"sticky parent", nil, func(t *testing.T, base string) {
			must(t, os.Chmod(filepath.Join(base, "up"), 0o777|fs.ModeSticky))
		}},
		{"folder is a link", state.ErrSymlink, func(t *testing.T, base string) {
			must(t, os.Rename(filepath.Join(base, "up", "s"), filepath.Join(base, "up", "t")))
			must(t, os.Symlink("t", filepath.Join(base, "up", "s")))
		}},
		{"parent is our link", nil, func(t *testing.T, base string) {
			must(t, os.Rename(filepath.Join(base, "up"), filepath.Join(base, "moved")))
			must(t, os.Symlink(filepath.Join(base, "moved"), filepath.Join(base, "up")))
		}},
		{"parent is a relative link with dots", nil, func(t *testing.T, base string) {
			must(t, os.Mkdir(filepath.Join(base, "other"), 0o700))
			must(t, os.Rename(filepath.Join(base, "up"), filepath.Join(base, "moved")))
			must(t, os.Symlink("other/../moved", filepath.Join(base, "up")))
		}},
		{"parent is a link of somebody else", state.ErrForeignLink, func(t *testing.T, base string) {
			must(t, os.Rename(filepath.Join(base, "up"), filepath.Join(base, "moved")))
			must(t, os.Symlink("moved", filepath.Join(base, "up")))
			foreign(t, filepath.Join(base, "up"))
		}},
		{"link to itself", state.ErrTooManyLinks, func(t *testing.T, base string) {
			must(t, os.Rename(filepath.Join(base, "up"), filepath.Join(base, "moved")))
			must(t, os.Symlink("up", filepath.Join(base, "up")))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := private(t, "base")
			dir := filepath.Join(base, "up", "s")
			must(t, os.MkdirAll(dir, 0o700))
			tc.spoil(t, base)
			listener, err := state.ListenUnix(dir, "a.sock")
			if !errors.Is(err, tc.want) {
				t.Fatalf("listen: %v, want %v", err, tc.want)
			}
			if err == nil {
				listener.Close()
			}
		})
	}
}

func TestListenLeavesNoDescriptorBehind(t *testing.T) {
	dir := private(t, "s")
	before := descriptors(t)
	for range 20 {
		listener, err := state.ListenUnix(dir, "a.sock")
		must(t, err)
		conn, err := state.DialUnix(context.Background(), dir, "a.sock")
		must(t, err)
		must(t, errors.Join(conn.Close(), listener.Close()))
		if _, err := state.DialUnix(context.Background(), dir, "a.sock"); !errors.Is(err, unix.ECONNREFUSED) {
			t.Fatalf("dial of a stale socket: %v", err)
		}
	}
	if after := descriptors(t); after > before+2 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}

func TestUmaskIsNotTouched(t *testing.T) {
	dir := private(t, "s")
	old := unix.Umask(0)
	defer unix.Umask(old)
	listener, err := state.ListenUnix(dir, "a.sock")
	must(t, err)
	defer listener.Close()
	if got := mode(t, filepath.Join(dir, "a.sock")); got != 0o600 {
		t.Errorf("with umask 0 the socket has mode %o, want 600", got)
	}
}
