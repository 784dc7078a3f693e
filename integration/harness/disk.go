package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/crypto/need"
)

// A Disk is one of its own for the state folder of a machine, which the kernel
// keeps to its size.
type Disk struct {
	m     *Machine
	image string // of a disk with a file system that can break, else empty
}

// immutable is FS_IMMUTABLE_FL of linux/fs.h.
const immutable = 0x10

// ballast is the file that fills a disk.
const ballast = "ballast"

// OnDisk gives a machine that has not started a disk in memory, of that many bytes:
// a tmpfs(5). See Mounting.
func (m *Machine) OnDisk(bytes int) *Disk {
	m.t.Helper()
	m.disk = &Disk{m: m}
	m.must(os.MkdirAll(m.State, 0o700))
	m.must(unix.Mount("tmpfs", m.State, "tmpfs", unix.MS_NODEV|unix.MS_NOSUID, fmt.Sprintf("mode=0700,size=%d", bytes)))
	return m.disk
}

// OnExt4 gives it one that keeps what it has when it is unmounted, and that can
// break: an ext4(5) in a file. It skips the test where that cannot be had.
func (m *Machine) OnExt4() *Disk {
	m.t.Helper()
	d := &Disk{m, filepath.Join(m.Home, "image")}
	m.must(os.MkdirAll(m.State, 0o700))
	file, err := os.Create(d.image)
	m.must(err)
	m.must(errors.Join(file.Truncate(16<<20), file.Close()))
	if output, err := exec.Command("mkfs.ext4", "-q", d.image).CombinedOutput(); err != nil {
		need.Missing(m.t, fmt.Sprintf("an ext4 of its own (mkfs.ext4: %v: %s)", err, output))
	}
	if err := d.mount(); err != nil {
		need.Missing(m.t, fmt.Sprintf("an ext4 of its own (%v)", err))
	}
	m.disk = d
	return d
}

func (d *Disk) mount() error {
	output, err := exec.Command("mount", "-o", "loop,errors=remount-ro", d.image, d.m.State).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mount: %w: %s", err, output)
	}
	return nil
}

// Break has an ext4 find itself damaged, as one on a dying disk does: the kernel
// makes it read-only under whoever has files open there. Only Mend helps.
func (d *Disk) Break() {
	d.m.t.Helper()
	mounts, err := os.ReadFile("/proc/mounts")
	d.m.must(err)
	for line := range strings.Lines(string(mounts)) {
		if words := strings.Fields(line); words[1] == d.m.State {
			d.m.must(os.WriteFile(filepath.Join("/sys/fs/ext4", filepath.Base(words[0]), "trigger_fs_error"), []byte("1"), 0))
			return
		}
	}
	d.m.t.Fatalf("%s is not mounted", d.m.State)
}

// endPanes ends what outlives the node and has files open, and waits for that.
func (m *Machine) endPanes() {
	m.t.Helper()
	m.endHolders()
	Eventually(m.t, "the end of the panes", func() bool { return len(m.Processes("")) == 0 })
}

// Mend checks an ext4 and mounts it again. The node and its panes are ended.
func (d *Disk) Mend() {
	d.m.t.Helper()
	d.m.endPanes()
	Eventually(d.m.t, "a disk that nobody uses", func() bool { return unix.Unmount(d.m.State, 0) == nil })
	if output, err := exec.Command("e2fsck", "-fy", d.image).CombinedOutput(); err != nil {
		if d.m.t.Logf("%s", output); exitCode(err) > 1 { // 1: it was damaged, and is not any more
			d.m.t.Fatal(err)
		}
	}
	d.m.must(d.mount())
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// Fill takes all the room that is left; Free gives it back.
func (d *Disk) Fill() {
	d.m.t.Helper()
	file, err := os.OpenFile(filepath.Join(d.m.State, ballast), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	d.m.must(err)
	chunk := make([]byte, 64<<10)
	for len(chunk) > 0 {
		if _, err := file.Write(chunk); errors.Is(err, unix.ENOSPC) {
			chunk = chunk[:len(chunk)/2]
		} else {
			d.m.must(err)
		}
	}
	d.m.must(file.Close())
}

// Free ends what Fill began.
func (d *Disk) Free() {
	d.m.t.Helper()
	d.m.must(os.Remove(filepath.Join(d.m.State, ballast)))
}

// ReadOnly has the kernel refuse every change, Writable lets them through again.
// No file may be open for writing then: it ends the panes, and the node does not run.
func (d *Disk) ReadOnly() { d.m.t.Helper(); d.m.endPanes(); d.remount(unix.MS_RDONLY) }

// Writable ends what ReadOnly began.
func (d *Disk) Writable() { d.m.t.Helper(); d.remount(0) }

func (d *Disk) remount(flags uintptr) {
	d.m.t.Helper()
	// A process that has just ended may still be closing its files.
	Eventually(d.m.t, "a disk that nobody writes to", func() bool {
		return unix.Mount("", d.m.State, "", flags|unix.MS_REMOUNT|unix.MS_NODEV|unix.MS_NOSUID, "") == nil
	})
}

// remove takes the disk away, also from what still uses it.
func (d *Disk) remove() error { return unix.Unmount(d.m.State, unix.MNT_DETACH) }

// FileLimit has the kernel refuse every byte that would make a file of the running
// node longer than that, as setrlimit(2) does; NoLimit ends it. It needs no right.
func (m *Machine) FileLimit(bytes uint64) {
	m.t.Helper()
	var limit unix.Rlimit
	m.must(unix.Prlimit(m.PID(), unix.RLIMIT_FSIZE, nil, &limit))
	limit.Cur = min(bytes, limit.Max)
	m.must(unix.Prlimit(m.PID(), unix.RLIMIT_FSIZE, &limit, nil))
}

// NoLimit is a FileLimit that no file reaches.
const NoLimit = unix.RLIM_INFINITY

// Immutable has the kernel refuse every change of what is in the state folder, also
// through files that are open, as chattr(1) +i does; the sockets are left alone. It
// returns an error where the file system or the right is missing.
func (m *Machine) Immutable(on bool) error {
	return filepath.WalkDir(m.State, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		flags, err := unix.IoctlGetInt(int(file.Fd()), unix.FS_IOC_GETFLAGS)
		if err != nil {
			return err
		}
		flags &^= immutable
		if on {
			flags |= immutable
		}
		return unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, flags)
	})
}

// Mounting says whether this process may mount. Where it may not, and the kernel
// lets everybody have a user namespace, it runs the test once more in one, and
// returns false.
func Mounting(t *testing.T) bool {
	t.Helper()
	folder := t.TempDir()
	err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=4096")
	if err == nil {
		if err := unix.Unmount(folder, 0); err != nil {
			t.Fatal(err)
		}
		return true
	}
	space := []string{"--user", "--map-root-user", "--mount"}
	if output, failed := exec.Command("unshare", append(space, "true")...).CombinedOutput(); failed != nil {
		need.Missing(t, fmt.Sprintf("the right to mount, or to make user namespaces (%v; %v: %s)", err, failed, output))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("unshare", append(space, self, "-test.run=^"+t.Name()+"$", "-test.v")...).CombinedOutput()
	t.Logf("as root of a user namespace:\n%s", output)
	if err != nil {
		t.Error(err)
	}
	return false
}
