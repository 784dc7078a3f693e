package state

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Refusals of a socket.
var (
	ErrSocketName  = errors.New("name is not that of a file in the folder")
	ErrNotSocket   = errors.New("path is not a socket")
	ErrSocketMode  = errors.New("socket is open to others (want mode 0600)")
	ErrSocketInUse = errors.New("somebody answers on this socket already")
)

// A Socket is a unix socket that this process listens on. Closing it leaves its
// file; Remove takes that away.
type Socket struct {
	*net.UnixListener
	dir, name string
	file      unix.Stat_t
}

// Remove removes the file of the socket, if it is still the one that ListenUnix
// made, whether the socket is closed or not. It asks nobody: a socket that was
// closed just now still answers where a child of this process has it, between
// its fork and its exec. Whoever removes it must still hold the folder, so that
// nobody else has made another one of that name.
func (s *Socket) Remove() error {
	_, err := inFolder(s.dir, s.name, func(folder int, _ string) (struct{}, error) {
		var now unix.Stat_t
		err := unix.Fstatat(folder, s.name, &now, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil && (now.Dev != s.file.Dev || now.Ino != s.file.Ino) {
			return struct{}{}, nil
		}
		if err == nil {
			err = unix.Unlinkat(folder, s.name, 0)
		}
		return struct{}{}, err
	})
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", filepath.Join(s.dir, s.name), err)
	}
	return nil
}

// ListenUnix listens on dir/name, mode 0600, after it has checked every part of
// the path for owner and mode. A socket that is there already is removed only
// when it is ours and nobody answers; else ErrSocketInUse.
//
// The address goes through the folder's descriptor, so the path may be longer
// than the 107 bytes of the kernel and cannot be swapped after the check.
func ListenUnix(dir, name string) (*Socket, error) {
	s := &Socket{dir: dir, name: name}
	_, err := inFolder(dir, name, func(folder int, address string) (none struct{}, err error) {
		s.UnixListener, err = bind(address)
		if errors.Is(err, unix.EADDRINUSE) {
			if err := removeStale(folder, name, address); err != nil {
				return none, err
			}
			s.UnixListener, err = bind(address)
		}
		if err != nil {
			return none, err
		}
		if err := unix.Fstatat(folder, name, &s.file, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return none, errors.Join(err, s.Close())
		}
		return none, nil
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", filepath.Join(dir, name), err)
	}
	return s, nil
}

// DialUnix connects to dir/name after the same checks of the path and of the
// socket itself.
func DialUnix(ctx context.Context, dir, name string) (*net.UnixConn, error) {
	conn, err := inFolder(dir, name, func(folder int, address string) (*net.UnixConn, error) {
		if err := checkSocket(folder, name); err != nil {
			return nil, err
		}
		return dial(ctx, address)
	})
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", filepath.Join(dir, name), err)
	}
	return conn, nil
}

// RemoveUnix removes the socket dir/name if it is ours and nobody answers on it.
// One that is not there is no error.
func RemoveUnix(dir, name string) error {
	_, err := inFolder(dir, name, func(folder int, address string) (struct{}, error) {
		return struct{}{}, removeStale(folder, name, address)
	})
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// inFolder runs do with the checked folder's descriptor and an address of name
// that goes through it.
func inFolder[T any](dir, name string, do func(folder int, address string) (T, error)) (T, error) {
	var none T
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." || name == "/" {
		return none, ErrSocketName
	}
	folder, err := openPrivate(dir)
	if err != nil {
		return none, err
	}
	defer unix.Close(folder)
	return do(folder, fmt.Sprintf("/proc/self/fd/%d/%s", folder, name))
}

func bind(address string) (*net.UnixListener, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		// On Linux the file that bind makes takes its mode from the socket, so
		// it is never wider, not even for a moment, and no umask is changed.
		if controlErr := raw.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), 0o600) }); controlErr != nil {
			return controlErr
		}
		return err
	}}
	listener, err := config.Listen(context.Background(), "unix", address)
	if err != nil {
		return nil, err
	}
	unixListener := listener.(*net.UnixListener)
	// The address names a descriptor that is about to be closed.
	unixListener.SetUnlinkOnClose(false)
	return unixListener, nil
}

func dial(ctx context.Context, address string) (*net.UnixConn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

func checkSocket(folder int, name string) error {
	var stat unix.Stat_t
	if err := unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	switch {
	case stat.Mode&unix.S_IFMT != unix.S_IFSOCK:
		return ErrNotSocket
	case int(stat.Uid) != os.Geteuid():
		return ErrOwner
	case stat.Mode&0o077 != 0:
		return ErrSocketMode
	}
	return nil
}

// lingers is how often a socket that is answered is asked again. One that was
// closed just now may live on for a moment in a child that this process is
// starting, between its fork and its exec.
const (
	lingers   = 20
	lingerGap = 10 * time.Millisecond
)

// removeStale removes a socket on which nobody answers.
func removeStale(folder int, name, address string) error {
	if err := checkSocket(folder, name); err != nil {
		return err
	}
	conn, err := dial(context.Background(), address) // a unix connect waits for nobody
	for again := 0; err == nil && again < lingers; again++ {
		conn.Close()
		time.Sleep(lingerGap)
		conn, err = dial(context.Background(), address)
	}
	if err == nil {
		conn.Close()
		return ErrSocketInUse
	}
	if !errors.Is(err, unix.ECONNREFUSED) {
		return fmt.Errorf("%w: %w", ErrSocketInUse, err) // a full queue is somebody, too
	}
	return unix.Unlinkat(folder, name, 0)
}
