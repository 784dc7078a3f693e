// Package backup puts what a node cannot draw anew into one file, and back: its
// identity and keys, its crew, its paired devices, and its settings.
//
// What grows and what is of a moment stays out of it: panes, messages, logs,
// uploads, and the sources of work with their own keys, which may have been taken
// back since. A backup is closed by crypto/sealed before it leaves this package's
// caller; here it is a tar archive with names of our own.
//
// Invariants: what is put back is parsed whole, and every file in it believed,
// before anything is written. A file that is there is never replaced unless that
// is asked for, and none before all that is put back is on the disk. The crew's
// file is taken away first and gets its name last, so that a crash in between
// leaves a node in no crew, and none with half of one. A crew that was put back
// says so (trust.RestoredFile).
package backup

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/identity"
	"collie/mesh/trust"
)

// Named refusals.
var (
	// ErrEmpty says that there is nothing to keep.
	ErrEmpty = errors.New("there is nothing here to back up")
	// ErrContent is wrapped by every refusal of what is in a backup.
	ErrContent = errors.New("it is not a backup of collie, or it is damaged")
	// ErrThere says that something is where the backup would be put.
	ErrThere = errors.New("there is something here already")
)

// Folders are a node's.
type Folders struct{ State, Config string }

// The names in an archive, which say the folder as well.
const (
	inState  = "state/"
	inConfig = "config/"
	crewFile = inState + trust.FileName
)

// stateFiles are those of the state folder that are kept, the crew last.
var stateFiles = []string{
	inState + trust.IdentityFileName, inState + "mesh-reset.key", inState + "age.key", inState + "addresses.json",
	inState + string(trust.DevicesOwn), inState + string(trust.DevicesCrew), crewFile,
}

// configName is what a file of the config folder may be called to be kept.
var configName = regexp.MustCompile(`^config/(\.env|[a-z0-9][a-z0-9_-]{0,62}\.toml)$`)

// A File is one of a backup.
type File struct {
	Name string // state/… or config/…
	Data []byte
}

// An Archive is a backup that is open.
type Archive struct {
	MadeAt time.Time
	Files  []File
}

func (f Folders) path(name string) string {
	if rest, ok := strings.CutPrefix(name, inState); ok {
		return filepath.Join(f.State, rest)
	}
	return filepath.Join(f.Config, strings.TrimPrefix(name, inConfig))
}

// Collect reads what is to be kept. Each file is whole, whether the node runs or
// not.
func Collect(folders Folders, now time.Time) (Archive, error) {
	a := Archive{MadeAt: now.UTC().Truncate(time.Second)}
	settings, err := os.ReadDir(folders.Config)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Archive{}, err
	}
	var names []string
	for _, entry := range settings {
		if name := inConfig + entry.Name(); configName.MatchString(name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Concat(names, stateFiles) {
		data, err := atomicfile.Read(folders.path(name), MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Archive{}, err
		}
		a.Files = append(a.Files, File{name, data})
	}
	if len(a.Files) == 0 {
		return Archive{}, ErrEmpty
	}
	return a, a.check()
}

// Bytes returns the archive as Parse reads it.
func (a Archive) Bytes() ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range a.Files {
		err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o600, Size: int64(len(f.Data)), ModTime: a.MadeAt, Format: tar.FormatPAX})
		if err == nil {
			_, err = w.Write(f.Data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if out.Len() > MaxContent {
		return nil, fmt.Errorf("%w: %d bytes, the most is %d", ErrContent, out.Len(), MaxContent)
	}
	return out.Bytes(), nil
}

// Parse reads an archive and believes every file of it, or refuses it whole with
// ErrContent.
func Parse(data []byte) (Archive, error) {
	refuse := func(err error) (Archive, error) { return Archive{}, fmt.Errorf("%w: %w", ErrContent, err) }
	var a Archive
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err != nil:
			return refuse(err)
		case header.Typeflag != tar.TypeReg || header.Size > MaxFile || len(a.Files) >= MaxFiles:
			return refuse(fmt.Errorf("%q is no plain file, or one too many or too large", header.Name))
		}
		content, err := io.ReadAll(io.LimitReader(r, MaxFile))
		if err != nil {
			return refuse(err)
		}
		a.Files, a.MadeAt = append(a.Files, File{header.Name, content}), header.ModTime.UTC()
	}
	if err := a.check(); err != nil {
		return refuse(err)
	}
	return a, nil
}

// check refuses an archive by which no node could start.
func (a Archive) check() error {
	seen := map[string]bool{}
	for _, f := range a.Files {
		if seen[f.Name] || !slices.Contains(stateFiles, f.Name) && !configName.MatchString(f.Name) {
			return fmt.Errorf("it holds %q, which is unknown or occurs twice", f.Name)
		}
		seen[f.Name] = true
		var err error
		switch f.Name {
		case inState + trust.IdentityFileName:
			_, err = identity.Unmarshal(f.Data)
		case crewFile:
			_, err = trust.RestoredFile(f.Data, true)
		case inState + string(trust.DevicesOwn), inState + string(trust.DevicesCrew):
			_, err = parseDevices(f.Data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if seen[crewFile] && !seen[inState+trust.IdentityFileName] {
		return errors.New("a crew without the identity of the node")
	}
	if len(a.Files) == 0 || len(a.Files) > MaxFiles {
		return fmt.Errorf("it holds %d files", len(a.Files))
	}
	return nil
}
