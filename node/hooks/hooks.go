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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"collie/crypto/atomicfile"
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
	return done, f.change(func(now []byte, there bool) ([]byte, bool, error) {
		doc, err := parse(now)
		if err != nil {
			return nil, false, err
		}
		if there && f.same(doc, f.Harness.entries(program, hold)) {
			return now, true, nil
		}
		ours, err := f.found(doc)
		if err != nil {
			return nil, false, err
		}
		if len(ours) == 0 {
			if err := f.backup(now, there); err != nil {
				return nil, false, err
			}
		}
		next, err := f.with(now, program, hold)
		done.Changed = true
		return next, true, err
	})
}

// Uninstall takes the hooks out.
func (f File) Uninstall() (Report, error) {
	if f.Harness.plugin != "" {
		return f.uninstallPlugin()
	}
	done := Report{State: Absent}
	return done, f.change(func(now []byte, there bool) ([]byte, bool, error) {
		if !there {
			return nil, false, nil
		}
		doc, err := parse(now)
		if err != nil {
			return nil, false, err
		}
		ours, err := f.found(doc)
		if err != nil || len(ours) == 0 {
			return now, true, err
		}
		done.Changed = true
		first := ours[0]
		before, err := atomicfile.Read(f.backupPath(), maxSettingsBytes)
		known := err == nil
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false, err
		}
		// What was before comes back when it leads to what is now.
		if next, err := f.with(before, first.program, slices.ContainsFunc(ours, func(e entry) bool { return e.hold })); err == nil && bytes.Equal(next, now) {
			return before, known, nil
		}
		if err := f.remove(doc, before); err != nil {
			return nil, false, err
		}
		return doc.bytes(), true, nil
	})
}

// Status looks.
func (f File) Status(program string) (Report, error) {
	data, err := atomicfile.Read(f.real(), maxSettingsBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Report{State: Absent}, nil
	}
	if err == nil && f.Harness.plugin != "" {
		return f.pluginStatus(data, program), nil
	}
	var doc *document
	if err == nil {
		doc, err = parse(data)
	}
	var ours []entry
	if err == nil {
		ours, err = f.found(doc)
	}
	if err != nil {
		return Report{}, f.trouble(err)
	}
	hold := slices.ContainsFunc(ours, func(e entry) bool { return e.hold })
	switch {
	case len(ours) == 0:
		return Report{State: Absent}, nil
	case f.same(doc, f.Harness.entries(program, hold)):
		return Report{State: Installed, Holds: hold}, nil
	}
	return Report{State: Outdated, Holds: hold}, nil
}

// real is the file itself, where a link leads to it: whoever keeps settings
// elsewhere keeps them there.
func (f File) real() string {
	if path, err := filepath.EvalSymlinks(f.Path); err == nil {
		return path
	}
	return f.Path
}

func (f File) backupPath() string { return f.real() + backupEnd }

// change replaces the file by what next makes of it, keeping its mode. Where
// next keeps nothing the file goes.
func (f File) change(next func(now []byte, there bool) (data []byte, keep bool, err error)) error {
	path := f.real()
	now, err := atomicfile.Read(path, maxSettingsBytes)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.trouble(err)
	}
	data, keep, err := next(now, there)
	switch {
	case err != nil:
		return f.trouble(err)
	case keep && there && bytes.Equal(now, data):
		return nil
	case !keep && !there:
		return nil
	case !keep:
		err = atomicfile.Remove(path)
	default:
		err = f.write(path, data, there)
	}
	if err != nil {
		return f.trouble(err)
	}
	if !slices.ContainsFunc(f.inData(data), func(entry) bool { return true }) {
		return ignoreMissing(os.Remove(f.backupPath()))
	}
	return nil
}

func (f File) inData(data []byte) []entry {
	doc, err := parse(data)
	if err != nil {
		return nil
	}
	ours, _ := f.found(doc)
	return ours
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

// with returns a settings file with the hooks in it, and no others of Collie's.
func (f File) with(data []byte, program string, hold bool) ([]byte, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, err
	}
	if err := f.remove(doc, data); err != nil {
		return nil, err
	}
	for _, e := range f.Harness.entries(program, hold) {
		groups, err := doc.groups(e.event, true)
		if err != nil {
			return nil, err
		}
		doc.addElement(groups, e.value(), 2)
	}
	return doc.bytes(), nil
}

// same reports whether the hooks in a file are just these.
func (f File) same(doc *document, want []entry) bool {
	ours, err := f.found(doc)
	return err == nil && slices.Equal(ours, want)
}

// found lists Collie's hooks in a file, in the order of the harness's events.
func (f File) found(doc *document) ([]entry, error) {
	var ours []entry
	for _, event := range f.Harness.events() {
		groups, err := doc.groups(event, false)
		if err != nil {
			return nil, err
		}
		if groups == nil {
			continue
		}
		for _, group := range groups.Elements {
			for _, hook := range hooksOf(group) {
				if e, ok := f.ours(event, group, hook); ok {
					ours = append(ours, e)
				}
			}
		}
	}
	return ours, nil
}

// hooksOf are the hooks of one group.
func hooksOf(group hujson.Value) []hujson.Value {
	object, ok := group.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	i := member(object, "hooks")
	if i < 0 {
		return nil
	}
	list, ok := object.Members[i].Value.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	return list.Elements
}

// ours reads a hook that runs Collie's command.
func (f File) ours(event string, group, hook hujson.Value) (entry, bool) {
	program, hold, ok := f.Harness.runs(field(hook, "command"))
	if !ok {
		return entry{}, false
	}
	e := entry{event: event, matcher: field(group, "matcher"), program: program, harness: f.Harness.Name, hold: hold}
	object := hook.Value.(*hujson.Object)
	if i := member(object, "timeout"); i >= 0 {
		_ = json.Unmarshal(object.Members[i].Value.Pack(), &e.timeout)
	}
	return e, true
}

// remove takes Collie's hooks out of a document, and what stands empty then and
// was not there before.
func (f File) remove(doc *document, before []byte) error {
	had := map[string]bool{}
	if old, err := parse(before); err == nil {
		for _, event := range f.Harness.events() {
			if groups, err := old.groups(event, false); err == nil && groups != nil {
				had[event] = true
			}
		}
		had["hooks"] = member(old.top(), "hooks") >= 0
	}
	for _, event := range f.Harness.events() {
		groups, err := doc.groups(event, false)
		if err != nil {
			return err
		}
		if groups == nil {
			continue
		}
		removed := false
		for i := len(groups.Elements) - 1; i >= 0; i-- {
			removed = f.removeFrom(groups, i) || removed
		}
		hooks := doc.top().Members[member(doc.top(), "hooks")].Value.Value.(*hujson.Object)
		if removed && len(groups.Elements) == 0 && !had[event] {
			removeMember(hooks, member(hooks, event))
		}
		if removed && len(hooks.Members) == 0 && !had["hooks"] {
			removeMember(doc.top(), member(doc.top(), "hooks"))
		}
	}
	return nil
}

// removeFrom takes Collie's hooks out of one group, and the group when it holds
// no other.
func (f File) removeFrom(groups *hujson.Array, at int) bool {
	list := hooksOf(groups.Elements[at])
	isOurs := func(hook hujson.Value) bool {
		_, _, ok := f.Harness.runs(field(hook, "command"))
		return ok
	}
	if !slices.ContainsFunc(list, isOurs) {
		return false
	}
	if !slices.ContainsFunc(list, func(hook hujson.Value) bool { return !isOurs(hook) }) {
		removeElement(groups, at)
		return true
	}
	object := groups.Elements[at].Value.(*hujson.Object)
	array := object.Members[member(object, "hooks")].Value.Value.(*hujson.Array)
	for i := len(array.Elements) - 1; i >= 0; i-- {
		if isOurs(array.Elements[i]) {
			removeElement(array, i)
		}
	}
	return true
}

// quote makes a path one word of a shell.
func quote(path string) string {
	if path != "" && strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func unquote(word string) string {
	if len(word) >= 2 && word[0] == '\'' && word[len(word)-1] == '\'' {
		return strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	}
	return word
}
