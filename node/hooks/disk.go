package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"collie/crypto/atomicfile"
)

// real is the file itself, where a link leads to it: whoever keeps settings
// elsewhere keeps them there.
func (f File) real() string {
	if path, err := filepath.EvalSymlinks(f.Path); err == nil {
		return path
	}
	return f.Path
}

func (f File) backupPath() string { return f.real() + backupEnd }

// change replaces the file by what next makes of it, keeping its mode, and reports
// whether that is something else. Where next keeps nothing the file goes.
func (f File) change(next func(now []byte, there bool) (data []byte, keep bool, err error)) (changed bool, err error) {
	path := f.real()
	now, err := atomicfile.Read(path, maxSettingsBytes)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, f.trouble(err)
	}
	data, keep, err := next(now, there)
	switch {
	case err != nil:
		return false, f.trouble(err)
	case keep == there && (!keep || bytes.Equal(now, data)):
		return false, nil
	case keep:
		err = f.write(path, data, there)
	default:
		err = atomicfile.Remove(path)
	}
	if err != nil {
		return false, f.trouble(err)
	}
	if _, ours, _ := f.read(data); len(ours) == 0 {
		err = ignoreMissing(os.Remove(f.backupPath()))
	}
	return true, err
}

func (f File) write(path string, data []byte, there bool) error {
	mode := fs.FileMode(0o600)
	if there {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(path, data); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func (f File) trouble(err error) error { return fmt.Errorf("%s: %w", f.Path, err) }

// backup keeps the file as it is before the first change. One that was not there
// leaves none.
func (f File) backup(now []byte, there bool) error {
	if !there {
		return ignoreMissing(os.Remove(f.backupPath()))
	}
	return atomicfile.Write(f.backupPath(), now)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
