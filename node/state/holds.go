package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxLocksBytes bounds what is read of the kernel's list of locks.
const maxLocksBytes = 4 << 20

// Holds reports whether a process holds the state folder dir: as the kernel lists
// its locks (proc_locks(5)), not as the text in the lock file says. The device is
// not compared, because some file systems show another one in that list.
func Holds(dir string, pid int) (bool, error) {
	info, err := os.Lstat(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the lock of the state folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return false, nil
	}
	file, err := os.Open("/proc/locks")
	if err != nil {
		return false, fmt.Errorf("look at the kernel's locks: %w", err)
	}
	defer file.Close()
	list, err := io.ReadAll(io.LimitReader(file, maxLocksBytes))
	if err != nil {
		return false, fmt.Errorf("look at the kernel's locks: %w", err)
	}
	return lists(list, pid, stat.Ino), nil
}

// lists looks for a lock that a process has taken on a file, as
// "1: FLOCK ADVISORY WRITE 708 00:13:4532 0 EOF"; whoever waits for one stands
// behind an arrow.
func lists(locks []byte, pid int, inode uint64) bool {
	owner, suffix := []byte(strconv.Itoa(pid)), []byte(":"+strconv.FormatUint(inode, 10))
	for line := range bytes.Lines(locks) {
		fields := bytes.Fields(line)
		if len(fields) >= 6 && string(fields[1]) == "FLOCK" && string(fields[3]) == "WRITE" &&
			bytes.Equal(fields[4], owner) && bytes.HasSuffix(fields[5], suffix) {
			return true
		}
	}
	return false
}
