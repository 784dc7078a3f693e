// Package hooks puts Collie's hooks into the settings of a harness, and takes
// them out again.
//
// A settings file is the person's. What is in it stays as it is, byte for byte,
// but for the hooks: order, comments, hooks of others, keys that nobody knows.
// Before the first change the file is copied beside itself, and uninstalling
// puts that copy back when nothing else was changed meanwhile; otherwise it takes
// out what is Collie's and nothing more. A second install writes nothing. A file
// that cannot be read as what it should be is refused and left alone.
//
// A harness whose hooks are a program that it loads gets a file of its own, which
// goes again as long as nobody changed it.
//
// A harness may have several folders of settings, one a profile; each has hooks
// of its own.
package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"collie/crypto/atomicfile"
	"collie/node/shell"
)

const (
	// maxSettingsBytes bounds a settings file.
	maxSettingsBytes = 4 << 20
	// backupEnd is what the copy of a settings file is called by.
	backupEnd = ".before-collie"
	// Verb is the hidden command that a hook runs.
	Verb = "_hook"
	// HoldFlag makes it wait for a tap where it can answer.
	HoldFlag = "--hold"
)

// A State says how the hooks of one settings file are.
type State string

// The states.
const (
	Absent    State = "absent"
	Installed State = "installed"
	// Outdated are hooks of another version or another place of this program, or
	// only some of them.
	Outdated State = "outdated"
)

// A File is the settings file of one folder of a harness.
type File struct {
	Harness *Harness
	Path    string
}

// A Report says how a settings file is, or became.
type Report struct {
	State   State
	Holds   bool // it waits for a tap
	Changed bool
}

// File is the settings file in one folder of a harness.
func (h *Harness) File(folder string) File { return File{h, filepath.Join(folder, h.file)} }

// Install puts the hooks in that run a program.
func (f File) Install(program string, hold bool) (Report, error) {
	if hold && f.Harness.Hold == 0 {
		return Report{}, fmt.Errorf("%s has no hook that may answer a permission", f.Harness.Name)
	}
	if f.Harness.plugin != "" {
		return f.installPlugin(program)
	}
	done := Report{State: Installed, Holds: hold}
	var err error
	done.Changed, err = f.change(func(now []byte, there bool) ([]byte, bool, error) {
		_, ours, err := f.read(now)
		switch {
		case err != nil:
			return nil, false, err
		case there && slices.Equal(ours, f.Harness.entries(program, hold)):
			return now, true, nil
		case len(ours) == 0:
			if err := f.backup(now, there); err != nil {
				return nil, false, err
			}
		}
		next, err := f.with(now, shell.Word(program), hold)
		return next, true, err
	})
	return done, err
}

// Uninstall takes the hooks out.
func (f File) Uninstall() (Report, error) {
	if f.Harness.plugin != "" {
		return f.uninstallPlugin()
	}
	changed, err := f.change(func(now []byte, there bool) ([]byte, bool, error) {
		doc, ours, err := f.read(now)
		if err != nil || len(ours) == 0 {
			return now, there, err
		}
		before, err := atomicfile.Read(f.backupPath(), maxSettingsBytes)
		known := err == nil
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false, err
		}
		// What was before comes back when it leads to what is now. Earlier builds quoted
		// some words that need no quotes.
		for _, word := range []string{shell.Word(ours[0].program), shell.Quoted(ours[0].program)} {
			if next, err := f.with(before, word, holds(ours)); err == nil && bytes.Equal(next, now) {
				return before, known, nil
			}
		}
		if err := f.remove(doc, before); err != nil {
			return nil, false, err
		}
		return doc.bytes(), true, nil
	})
	return Report{State: Absent, Changed: changed}, err
}

// Status looks.
func (f File) Status(program string) (Report, error) {
	data, err := atomicfile.Read(f.real(), maxSettingsBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Report{State: Absent}, nil
	case err != nil:
		return Report{}, f.trouble(err)
	case f.Harness.plugin != "":
		return f.pluginStatus(data, program), nil
	}
	_, ours, err := f.read(data)
	hold := holds(ours)
	switch {
	case err != nil:
		return Report{}, f.trouble(err)
	case len(ours) == 0:
		return Report{State: Absent}, nil
	case slices.Equal(ours, f.Harness.entries(program, hold)):
		return Report{State: Installed, Holds: hold}, nil
	}
	return Report{State: Outdated, Holds: hold}, nil
}
