package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks bounds the links that one path may go through (the kernel's own bound).
const maxLinks = 40

// Refusals of a path.
var (
	ErrForeignFolder = errors.New("folder belongs to neither root nor this account")
	ErrWritable      = errors.New("folder can be written by others (want chmod go-w)")
	ErrNotPrivate    = errors.New("folder is open to others (want mode 0700)")
	ErrForeignLink   = errors.New("link belongs to neither root nor this account")
	ErrTooManyLinks  = errors.New("path goes through too many links")
)

// openPrivate opens a folder after it has checked every part of its path: each
// belongs to root or to us and cannot be written by others (a sticky folder such
// as /tmp may), and the last one is ours alone. The caller gets a descriptor of
// what was checked, so nothing can be swapped afterwards.
//
// The kernel follows no link here. A link is read and walked only when it
// belongs to root or to us and lies in a folder that passed; the last part may
// be none.
func openPrivate(dir string) (int, error) {
	if !filepath.IsAbs(dir) {
		return -1, fmt.Errorf("%q: %w", dir, ErrNotAbsolute)
	}
	current, err := openFolder(unix.AT_FDCWD, "/")
	if err != nil {
		return -1, err
	}
	walked := "/"
	parts := split(dir)
	for links := 0; len(parts) > 0; {
		name, last := parts[0], len(parts) == 1
		parts = parts[1:]
		walked = filepath.Join(walked, name)
		var stat unix.Stat_t
		if err := unix.Fstatat(current, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			unix.Close(current)
			return -1, &os.PathError{Op: "stat", Path: walked, Err: err}
		}
		if stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			target, err := readLink(current, name, stat, last)
			if links++; err == nil && links > maxLinks {
				err = ErrTooManyLinks
			}
			if err != nil {
				unix.Close(current)
				return -1, fmt.Errorf("%s: %w", walked, err)
			}
			parts = append(split(target), parts...)
			walked = filepath.Dir(walked)
			if filepath.IsAbs(target) {
				walked, parts = "/", append([]string{"/"}, parts...)
			}
			continue
		}
		next, err := openFolder(current, name)
		unix.Close(current)
		if err == nil {
			if err = checkFolder(next, last); err != nil {
				unix.Close(next)
			}
		}
		if err != nil {
			return -1, fmt.Errorf("%s: %w", walked, err)
		}
		current = next
	}
	return current, nil
}

// split returns the parts of a path. ".." stays: it is opened like any other.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

func openFolder(at int, name string) (int, error) {
	return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

func readLink(at int, name string, stat unix.Stat_t, last bool) (string, error) {
	if last {
		return "", ErrSymlink
	}
	if stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return "", ErrForeignLink
	}
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(at, name, target)
	if err != nil {
		return "", err
	}
	return string(target[:n]), nil
}

func checkFolder(fd int, last bool) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	mine := int(stat.Uid) == os.Geteuid()
	switch {
	case last && !mine:
		return ErrOwner
	case last && stat.Mode&0o077 != 0:
		return ErrNotPrivate
	case !mine && stat.Uid != 0:
		return ErrForeignFolder
	case stat.Mode&0o022 != 0 && stat.Mode&unix.S_ISVTX == 0:
		return ErrWritable
	}
	return nil
}
