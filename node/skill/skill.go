// Package skill teaches agents to use walky messages: it puts one skill file
// where an installed harness looks for skills, and keeps it current.
//
// The file begins with a mark that holds the hash of the rest. So a file of an
// earlier version is told from one that a person has edited, which is left alone,
// and from a skill of somebody else's with the same name.
package skill

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"collie/crypto/atomicfile"
)

//go:embed skill.md
var text []byte

// maxBytes bounds the file that is looked at.
const maxBytes = 256 << 10

// A State says how the skill file of one harness is.
type State string

// The states.
const (
	Absent   State = "absent"
	Current  State = "current"
	Outdated State = "outdated" // of another version of this program
	Edited   State = "edited"   // by a person, or another skill of that name
)

// ErrEdited refuses to write over what a person has written.
var ErrEdited = errors.New("file was edited, or is another skill, and is left alone: move it away to have it replaced")

// A Place is where one harness looks for skills.
type Place struct {
	Harness string
	Path    string // of the file
}

// The folders of each harness's settings: the one below the home folder, and the
// one inside of what its variable names.
var harnesses = []struct{ name, below, variable, inside, skills string }{
	{"claude", ".claude", "CLAUDE_CONFIG_DIR", "", "skills"},
	{"codex", ".codex", "CODEX_HOME", "", "skills"},
	{"gemini", ".gemini", "", "", "skills"},
	{"opencode", ".config/opencode", "XDG_CONFIG_HOME", "opencode", "skill"},
}

// Names lists the harnesses that have skills.
func Names() []string {
	var names []string
	for _, h := range harnesses {
		names = append(names, h.name)
	}
	return names
}

// Places are the places of the harnesses that an environment shows to be
// installed: their folder of settings is there.
func Places(env func(string) string) []Place {
	var places []Place
	for _, h := range harnesses {
		var folders []string
		if home := env("HOME"); filepath.IsAbs(home) {
			folders = append(folders, filepath.Join(home, h.below))
		}
		if named := env(h.variable); h.variable != "" && filepath.IsAbs(named) {
			folders = append(folders, filepath.Join(named, h.inside))
		}
		slices.Sort(folders)
		for _, folder := range slices.Compact(folders) {
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				places = append(places, Place{h.name, filepath.Join(folder, h.skills, "collie-walky", "SKILL.md")})
			}
		}
	}
	return places
}

// front and back enclose the hash of a file of ours, in its first line after the
// front matter.
const (
	front = "<!-- put here by collie; sha256 of the rest: "
	back  = " -->\n"
)

// File is the file as it is written: the front matter, the mark, the rest.
func File() []byte {
	head, rest := split(text)
	return joined(head, []byte(front+hashOf(head, rest)+back), rest)
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func hashOf(head, rest []byte) string {
	sum := sha256.Sum256(joined(head, rest))
	return hex.EncodeToString(sum[:])
}

// split divides a skill after its front matter, which has to come first.
func split(file []byte) (head, rest []byte) {
	const fence = "---\n"
	end := bytes.Index(file[min(len(file), len(fence)):], []byte("\n"+fence))
	if !bytes.HasPrefix(file, []byte(fence)) || end < 0 {
		return nil, file
	}
	at := len(fence) + end + len("\n"+fence)
	return file[:at], file[at:]
}

// State looks at the file.
func (p Place) State() (State, error) {
	file, err := atomicfile.Read(p.Path, maxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case err != nil:
		return "", fmt.Errorf("skill file cannot be read: %w", err)
	case bytes.Equal(file, File()):
		return Current, nil
	}
	head, rest := split(file)
	rest, marked := bytes.CutPrefix(rest, []byte(front))
	hash, rest, whole := bytes.Cut(rest, []byte(back))
	if marked && whole && string(hash) == hashOf(head, rest) {
		return Outdated, nil
	}
	return Edited, nil
}

// Install writes the file where it is absent or outdated.
func (p Place) Install() (changed bool, err error) {
	state, err := p.State()
	switch {
	case err != nil:
		return false, err
	case state == Current:
		return false, nil
	case state == Edited:
		return false, fmt.Errorf("%s: %w", p.Path, ErrEdited)
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
		return false, fmt.Errorf("cannot make the folder of the skill: %w", err)
	}
	return true, atomicfile.Write(p.Path, File())
}

// Refresh brings a file that is there up to date, and writes none where there is
// none.
func (p Place) Refresh() (changed bool, err error) {
	if state, err := p.State(); err != nil || state != Outdated {
		return false, err
	}
	return p.Install()
}

// Uninstall removes the file, and its folder when nothing else is in it.
func (p Place) Uninstall() (changed bool, err error) {
	state, err := p.State()
	switch {
	case err != nil:
		return false, err
	case state == Absent:
		return false, nil
	case state == Edited:
		return false, fmt.Errorf("%s: %w", p.Path, ErrEdited)
	}
	if err := atomicfile.Remove(p.Path); err != nil {
		return false, err
	}
	_ = os.Remove(filepath.Dir(p.Path)) // it stays when something is in it
	return true, nil
}
