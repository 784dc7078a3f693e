package files

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// A descent is a walk from a folder down to what a path names. It holds every
// folder on the way open, so that none can be swapped for another.
type descent struct {
	viewer *Viewer
	own    []fs.FileInfo // Collie's own folders, as they are now
	way    []*os.Root    // the folders on the way, the first one first
	links  int           // that may still be followed
}

// A spot is what a walk ended at: the last folder of the way, or, with a name, a
// file in it.
type spot struct {
	name string
	info fs.FileInfo
}

// descend opens the folder at which a walk begins.
func (v *Viewer) descend(root string) (*descent, error) {
	d := &descent{viewer: v, links: maxLinks}
	for _, dir := range v.own {
		if info, err := os.Stat(dir); err == nil { // what is not there cannot be shown
			d.own = append(d.own, info)
		}
	}
	real, err := filepath.EvalSymlinks(root)
	if err == nil && !filepath.IsAbs(real) {
		err = ErrPath
	}
	if err != nil {
		return nil, known(err)
	}
	if err := mayShow(real, d.own); err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(real)
	if err != nil {
		return nil, known(err)
	}
	d.way = []*os.Root{top}
	if err := d.enter(top, nil); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *descent) close() {
	for _, root := range d.way {
		_ = root.Close() // nothing was written to it
	}
}

func (d *descent) here() *os.Root { return d.way[len(d.way)-1] }

// walk follows a path. Links are expanded here, part by part, so that what they
// lead through is looked at like everything else.
func (d *descent) walk(path string) (spot, error) {
	parts, err := split(path)
	if err != nil {
		return spot{}, err
	}
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		hides := showsName(part)
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			if len(d.way) == 1 {
				return spot{}, ErrOutside
			}
			_ = d.here().Close()
			d.way = d.way[:len(d.way)-1]
			continue
		case hides != nil:
			return spot{}, hides
		}
		info, err := d.here().Lstat(part)
		switch {
		case err != nil && errors.Is(err, syscall.ENOTDIR):
			return spot{}, ErrNotFound
		case err != nil:
			return spot{}, known(err)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := d.target(part)
			if err != nil {
				return spot{}, err
			}
			parts = append(target, parts...)
		case info.IsDir():
			if err := d.down(part, info); err != nil {
				return spot{}, err
			}
		case len(parts) > 0:
			return spot{}, ErrNotFound
		default:
			return spot{name: part, info: info}, nil
		}
	}
	return spot{}, nil
}

// target returns the parts of what a link points at.
func (d *descent) target(name string) ([]string, error) {
	if d.links--; d.links < 0 {
		return nil, ErrOutside
	}
	target, err := d.here().Readlink(name)
	switch {
	case err != nil:
		return nil, known(err)
	case target == "" || len(target) > maxPathBytes || filepath.IsAbs(target):
		return nil, ErrOutside
	}
	return strings.Split(target, "/"), nil
}

// down goes into a folder that was seen a moment ago.
func (d *descent) down(name string, seen fs.FileInfo) error {
	if len(d.way) > maxDepth {
		return ErrPath
	}
	child, err := d.here().OpenRoot(name)
	if err != nil {
		return known(err)
	}
	d.way = append(d.way, child)
	return d.enter(child, seen)
}

// enter looks at an open folder: that it is the one that was seen, and that it
// may be shown.
func (d *descent) enter(root *os.Root, seen fs.FileInfo) error {
	file, err := root.Open(".")
	if err != nil {
		return known(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return known(err)
	case seen != nil && !os.SameFile(seen, info):
		return ErrChanged
	case oneOf(d.own, info):
		return hiddenOwn
	}
	return onDisk(file)
}

// madeUp are the file systems whose files are no files: what a kernel says about
// itself and its processes, environments with secrets among it.
var madeUp = []int64{
	unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
	unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC, unix.DEVPTS_SUPER_MAGIC,
	unix.PSTOREFS_MAGIC, unix.EFIVARFS_MAGIC, unix.NSFS_MAGIC, unix.SELINUX_MAGIC,
}

// onDisk refuses what is on none.
func onDisk(file *os.File) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var stat unix.Statfs_t
	var statErr error
	if err := raw.Control(func(fd uintptr) { statErr = unix.Fstatfs(int(fd), &stat) }); err != nil {
		return err
	}
	if statErr != nil {
		return statErr
	}
	if slices.Contains(madeUp, int64(stat.Type)) {
		return hiddenMadeUp
	}
	return nil
}

// list reads the folder that the walk ended at.
func (d *descent) list() (Listing, error) {
	names, more, err := d.names()
	if err != nil {
		return Listing{}, err
	}
	listing := Listing{More: more}
	for _, entry := range names {
		listing.Entries = append(listing.Entries, Entry{Name: entry.Name(), Kind: kindOf(entry.Type())})
	}
	slices.SortFunc(listing.Entries, func(a, b Entry) int {
		return cmp.Or(order(a)-order(b), strings.Compare(a.Name, b.Name))
	})
	if len(listing.Entries) > MaxEntries {
		listing.Entries, listing.More = listing.Entries[:MaxEntries], true
	}
	for i := range listing.Entries {
		entry := &listing.Entries[i]
		info, err := d.here().Lstat(entry.Name)
		if err != nil {
			continue // it went meanwhile; opening it says so
		}
		entry.Kind, entry.Modified = kindOf(info.Mode().Type()), info.ModTime()
		if entry.Kind == Regular {
			entry.Size = info.Size()
		}
	}
	return listing, nil
}

// names returns what is in the folder and may be shown, in no order.
func (d *descent) names() (names []fs.DirEntry, more bool, err error) {
	file, err := d.here().Open(".")
	if err != nil {
		return nil, false, known(err)
	}
	defer func() { _ = file.Close() }()
	entries, err := file.ReadDir(maxNames + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, known(err)
	}
	if len(entries) > maxNames {
		entries, more = entries[:maxNames], true
	}
	for _, entry := range entries {
		if hiddenName(entry.Name()) || entry.IsDir() && d.isOwn(entry) {
			continue
		}
		names = append(names, entry)
	}
	return names, more, nil
}

func (d *descent) isOwn(entry fs.DirEntry) bool {
	if len(d.own) == 0 {
		return false
	}
	info, err := d.here().Lstat(entry.Name())
	return err == nil && oneOf(d.own, info)
}

func order(e Entry) int {
	if e.Kind == Folder {
		return 0
	}
	return 1
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsDir():
		return Folder
	case mode.IsRegular():
		return Regular
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

// read returns the text of the file that the walk ended at.
func (d *descent) read(at spot) (Text, error) {
	if !at.info.Mode().IsRegular() {
		return Text{}, ErrSpecial
	}
	// O_NONBLOCK, should a named pipe have taken the file's place.
	file, err := d.here().OpenFile(at.name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return Text{}, known(err)
	}
	defer func() { _ = file.Close() }()
	before, err := file.Stat()
	switch {
	case err != nil:
		return Text{}, known(err)
	case !before.Mode().IsRegular() || !os.SameFile(at.info, before):
		return Text{}, ErrChanged
	}
	if err := errors.Join(d.foreign(before), onDisk(file)); err != nil {
		return Text{}, err
	}
	for range maxReads {
		data, err := io.ReadAll(io.NewSectionReader(file, 0, MaxTextBytes+1))
		if err != nil {
			return Text{}, known(err)
		}
		after, err := file.Stat()
		if err != nil {
			return Text{}, known(err)
		}
		if after.Size() == before.Size() && after.ModTime().Equal(before.ModTime()) {
			return textOf(data, after), nil
		}
		before = after
	}
	return Text{}, ErrChanged
}

func textOf(data []byte, info fs.FileInfo) Text {
	text := Text{Size: info.Size(), Modified: info.ModTime(), Cut: len(data) > MaxTextBytes}
	if text.Cut {
		data = data[:MaxTextBytes]
		for range utf8.UTFMax - 1 { // half a character
			if r, n := utf8.DecodeLastRune(data); r != utf8.RuneError || n != 1 {
				break
			}
			data = data[:len(data)-1]
		}
	}
	if text.Binary = !isText(data); !text.Binary {
		text.Data = data
	}
	return text
}
