package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"unicode/utf8"

	"collie/crypto/atomicfile"
)

const version = 1

var (
	// ErrLine refuses a one-off line that is none.
	ErrLine = fmt.Errorf("a one-off line is one line of 1 to %d characters, without control characters", MaxLineChars)
	// ErrUnavailable is wrapped when a file cannot be believed or written.
	ErrUnavailable = errors.New("the file of launchers is not available")
)

// CheckLine refuses what is no one-off line.
func CheckLine(line string) error {
	if line == "" || utf8.RuneCountInString(line) > MaxLineChars || !printable(line) {
		return ErrLine
	}
	return nil
}

// Recent are the latest one-off lines of a machine. A file that cannot be
// believed is left as it is, and nothing is remembered then.
type Recent struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex // guards what follows, and the file
	lines   []string   // newest first
	refused error
}

type recentFile struct {
	Lines []string `json:"lines"`
}

// OpenRecent reads the latest lines at path.
func OpenRecent(path string, log *slog.Logger) *Recent {
	r := &Recent{path: path, log: log}
	var file recentFile
	err := atomicfile.ReadJSON(path, version, &file)
	if err == nil && (len(file.Lines) > MaxRecent || slices.ContainsFunc(file.Lines, func(line string) bool { return CheckLine(line) != nil })) {
		err = errors.New("it has what is no one-off line, or too many")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.refused = fmt.Errorf("%w: %s: %w", ErrUnavailable, path, err)
		log.Error("the latest one-off lines are not believed, and left as they are", "file", path, "error", err)
	}
	r.lines = file.Lines
	return r
}

// Lines returns the latest lines, newest first.
func (r *Recent) Lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused != nil {
		return nil
	}
	return slices.Clone(r.lines)
}

// Add remembers a line. The same line is remembered once.
func (r *Recent) Add(line string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused != nil {
		return r.refused
	}
	lines := slices.DeleteFunc(slices.Clone(r.lines), func(old string) bool { return old == line })
	lines = slices.Insert(lines, 0, line)
	return r.replace(lines[:min(len(lines), MaxRecent)])
}

// Forget takes a line away, if it is there; the empty one takes all.
func (r *Recent) Forget(line string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := []string{}
	if line != "" {
		if r.refused != nil {
			return r.refused
		}
		left = slices.DeleteFunc(slices.Clone(r.lines), func(old string) bool { return old == line })
	}
	if len(left) == len(r.lines) && r.refused == nil {
		return nil
	}
	err := r.replace(left)
	if err == nil {
		r.refused = nil
	}
	return err
}

// replace writes the file and takes it over. r.mu is held.
func (r *Recent) replace(lines []string) error {
	if err := atomicfile.WriteJSON(r.path, version, recentFile{Lines: lines}); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	r.lines = lines
	return nil
}
