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

// Owners returns the processes that hold the state folder dir: as the kernel lists
// its locks (proc_locks(5)), not as the text in the lock file says. That is one or
// none. The device is not compared, because some file systems show another one in
// that list, so that rarely it is more; and where they show another number, none.
func Owners(dir string) ([]int, error) {
	info, err := os.Lstat(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the lock of the state folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return nil, nil
	}
	file, err := os.Open("/proc/locks")
	if err != nil {
		return nil, fmt.Errorf("look at the kernel's locks: %w", err)
	}
	defer file.Close()
	list, err := io.ReadAll(io.LimitReader(file, maxLocksBytes))
	if err != nil {
		return nil, fmt.Errorf("look at the kernel's locks: %w", err)
	}
	return owners(list, stat.Ino), nil
}

// owners looks for the locks that were taken on a file, such as
// "1: FLOCK ADVISORY WRITE 708 00:13:4532 0 EOF"; whoever waits for one stands
// behind an arrow.
func owners(locks []byte, inode uint64) (pids []int) {
	suffix := []byte(":" + strconv.FormatUint(inode, 10))
	for line := range bytes.Lines(locks) {
		fields := bytes.Fields(line)
		if len(fields) < 6 || string(fields[1]) != "FLOCK" || string(fields[3]) != "WRITE" || !bytes.HasSuffix(fields[5], suffix) {
			continue
		}
		if pid, err := strconv.Atoi(string(fields[4])); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}
