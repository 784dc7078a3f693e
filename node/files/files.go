// Package files looks at folders and text files below one folder, for a person
// who reads them on a phone.
//
// What it shows is decided on descriptors, never on names that somebody may
// change in between: a path is walked one folder at a time, each opened beneath
// the one before (os.Root) and compared with what was there a moment ago.
//
// Invariants:
//   - Nothing outside of the folder is opened. A link is followed only while it
//     stays inside; an absolute one counts as leaving.
//   - Never shown: .git and what is in it, Collie's own folders wherever a link
//     or a mount shows them, a file with the name of one of Collie's secrets, a
//     second name (hard link) of a file in Collie's folders, and what a kernel
//     makes up (proc, sys).
//   - What is no regular file is never opened: a named pipe cannot hold up a
//     reader and a device cannot be started by one.
//   - A file is read from one descriptor. One that is written to meanwhile is
//     refused rather than shown half old and half new.
//
// Texts leave this package as they are on the disk: whoever passes them on masks
// them first and then makes them [Plain]. Bounds are in limits.go.
package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Refusals.
var (
	ErrPath     = errors.New("the path is not one below the folder")
	ErrNotFound = errors.New("there is no such file or folder")
	ErrOutside  = errors.New("the path leaves the folder")
	ErrHidden   = errors.New("this is not shown")
	ErrSpecial  = errors.New("this is neither a folder nor a regular file")
	ErrDenied   = errors.New("this account may not read it")
	ErrChanged  = errors.New("it changed while it was looked at")
)

// hidden is why something is not shown, each an ErrHidden.
type hidden string

// The reasons.
const (
	hiddenGit    hidden = "what is in .git is not shown"
	hiddenSecret hidden = "a file with the name of one of Collie's secrets is not shown"
	hiddenOwn    hidden = "Collie's own folders are not shown"
	hiddenSecond hidden = "a second name (hard link) of one of Collie's own files is not shown"
	hiddenMadeUp hidden = "what the kernel makes up is not shown"
	hiddenLinked hidden = "a file with several names (hard links) is not shown where it cannot be told from Collie's own"
)

func (h hidden) Error() string        { return string(h) }
func (h hidden) Is(target error) bool { return target == ErrHidden }

// Why is the sentence of a refusal of this package, without what others said.
func Why(err error) string {
	if reason := hidden(""); errors.As(err, &reason) {
		return string(reason)
	}
	for _, known := range []error{ErrPath, ErrNotFound, ErrOutside, ErrHidden, ErrSpecial, ErrDenied, ErrChanged} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return ""
}

// A Viewer looks at files for one node.
type Viewer struct {
	own []string // Collie's own folders
}

// New returns a viewer that never shows what is in the given folders of
// Collie's own.
func New(own ...string) *Viewer { return &Viewer{own: own} }

// A Kind is what a name in a folder stands for.
type Kind string

// The kinds.
const (
	Folder  Kind = "folder"
	Regular Kind = "file"
	Link    Kind = "link"  // to something that may or may not be shown
	Other   Kind = "other" // a pipe, a socket, a device
)

// An Entry is one name in a folder.
type Entry struct {
	Name     string // as on the disk
	Kind     Kind
	Size     int64 // of a file
	Modified time.Time
}

// A Listing is a folder's content, folders first, each kind by name.
type Listing struct {
	Entries []Entry
	More    bool // there is more than is listed
}

// A Text is a file's content.
type Text struct {
	Size     int64
	Modified time.Time
	Binary   bool   // it is no text, and Data is nil
	Data     []byte // UTF-8, unless it is not
	Cut      bool   // Data is the file's beginning
}

// A Look is either a listing or a text.
type Look struct {
	Listing *Listing
	Text    *Text
}

// Look opens one folder or one text file below root. The path has slashes; the
// empty one is root itself.
func (v *Viewer) Look(root, path string) (Look, error) {
	d, err := v.descend(root)
	if err != nil {
		return Look{}, err
	}
	defer d.close()
	at, err := d.walk(path)
	if err != nil {
		return Look{}, err
	}
	if at.name == "" {
		listing, err := d.list()
		return Look{Listing: &listing}, err
	}
	text, err := d.read(at)
	return Look{Text: &text}, err
}

// Hides reports whether a path below root is one that is never shown, also when
// nothing is there any more. It is for those who get at the content another
// way, such as from git.
func (v *Viewer) Hides(root, path string) bool {
	parts, err := split(path)
	if err != nil || len(parts) == 0 || slices.ContainsFunc(parts, hiddenName) {
		return true
	}
	d, err := v.descend(root)
	if err != nil {
		return errors.Is(err, ErrHidden)
	}
	defer d.close()
	d.links = 0 // git follows none
	folder, name := parts[:len(parts)-1], parts[len(parts)-1]
	if at, err := d.walk(strings.Join(folder, "/")); err != nil || at.name != "" {
		return err != nil && !errors.Is(err, ErrNotFound)
	}
	info, err := d.here().Lstat(name)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		err = d.down(name, info)
	case info.Mode().IsRegular():
		err = d.foreign(info)
	}
	return errors.Is(err, ErrHidden)
}

// split returns the parts of a path, or why it is none.
func split(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if len(path) > maxPathBytes || strings.ContainsRune(path, 0) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, ErrPath
	}
	parts := strings.Split(path, "/")
	if len(parts) > maxDepth {
		return nil, ErrPath
	}
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return nil, ErrPath
		}
	}
	return parts, nil
}

// known gives what the system says a name of ours.
func known(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotFound
	case errors.Is(err, fs.ErrPermission):
		return ErrDenied
	}
	return err
}

// mayShow refuses a folder that is in .git or in one of Collie's own, whatever
// it is called.
func mayShow(real string, own []fs.FileInfo) error {
	for dir := real; ; dir = filepath.Dir(dir) {
		if err := showsName(filepath.Base(dir)); err != nil {
			return err
		}
		info, err := os.Stat(dir)
		if err != nil {
			return known(err)
		}
		if oneOf(own, info) {
			return hiddenOwn
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func oneOf(all []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(all, func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// isText reports whether data is something that a person can read.
func isText(data []byte) bool {
	odd := 0
	for i := 0; i < len(data); {
		if data[i] == 0 {
			return false
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			odd++
		}
		i += n
	}
	return odd <= fewOdd+len(data)/oddShare
}
