package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"collie/crypto/atomicfile"
	"collie/mesh/trust"
)

// Options say how a backup is put back.
type Options struct {
	// KeepDevices pairs the phones of the backup again, those that were revoked
	// since as well.
	KeepDevices bool
	// Force replaces what is there. Of the state folder it removes what a backup
	// could hold and this one does not, so that no two nodes are mixed.
	Force bool
	// Disk is where the files are. Audit is called before anything changes, once
	// there is nothing left to refuse; an error refuses it.
	Disk  atomicfile.Disk
	Audit func() error
}

// Restore puts a backup into the folders of a node that does not run, and returns
// the names of what it wrote. It refuses with ErrThere. All of it is on the disk
// before the first file is replaced, so that a full one leaves what was there.
func (a Archive) Restore(folders Folders, o Options) (written []string, err error) {
	var files []File
	for _, f := range a.Files {
		if f.Name == crewFile {
			if f.Data, err = trust.RestoredFile(f.Data, o.KeepDevices); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrContent, err)
			}
		}
		if o.KeepDevices || !isDevices(f.Name) {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b File) int { return order(a.Name) - order(b.Name) })
	there, err := folders.there(files)
	if err != nil {
		return nil, err
	}
	if len(there) > 0 && !o.Force {
		return nil, fmt.Errorf("%w: %s", ErrThere, strings.Join(there, ", "))
	}
	if err := errors.Join(os.MkdirAll(folders.State, 0o700), os.MkdirAll(folders.Config, 0o700)); err != nil {
		return nil, err
	}
	var staged []*atomicfile.Staged
	defer func() {
		for _, s := range staged {
			err = errors.Join(err, s.Discard())
		}
	}()
	for _, f := range files {
		s, err := atomicfile.StageOn(o.Disk, folders.path(f.Name), f.Data)
		if err != nil {
			return nil, err
		}
		staged = append(staged, s)
	}
	if err := o.Audit(); err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(stateFiles) { // the crew first
		if err := atomicfile.RemoveOn(o.Disk, folders.path(name)); err != nil {
			return nil, err
		}
	}
	for i, s := range staged {
		if err := s.Commit(); err != nil {
			return written, err
		}
		written = append(written, files[i].Name)
	}
	return written, nil
}

// order puts the crew behind everything that it needs.
func order(name string) int {
	if name == crewFile {
		return 1
	}
	return 0
}

// there lists what would be replaced or removed.
func (f Folders) there(files []File) (there []string, err error) {
	names := slices.Clone(stateFiles)
	for _, file := range files {
		if !slices.Contains(names, file.Name) {
			names = append(names, file.Name)
		}
	}
	for _, name := range names {
		switch _, err := os.Lstat(f.path(name)); {
		case err == nil:
			there = append(there, f.path(name))
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return there, nil
}
