// Package sent keeps the lines that were sent to a shell, so that they can be
// found and sent again, and decides which of them are not kept: those that look
// as if they held a secret, and those that begin with a blank.
//
// The rules are a heuristic that rather loses a line than keeps a secret; see
// rules.go. Of a line that they refuse nothing is left, no entry and no count.
//
// The book is one file, replaced whole with each change, so that a crash leaves
// the one before or the one after. It has the newest MaxLines lines. A file that
// cannot be believed is refused and left as it is, until it is cleared.
package sent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"collie/crypto/atomicfile"
)

const version = 1

var (
	// ErrUnavailable is wrapped when the file cannot be believed or written.
	ErrUnavailable = errors.New("the list of sent lines is not available")
	// ErrNotFound says that no line has that id.
	ErrNotFound = errors.New("no sent line has that id")
)

// A Line is one line that was sent.
type Line struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Pane string    `json:"pane"`
	Text string    `json:"line"`
}

// Options of a book. All but Off are needed.
type Options struct {
	Off  bool // COLLIE_SENT=off: keep no further line
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
	// Disk is the real one when nil.
	Disk atomicfile.Disk
}

// A Book holds the lines of one machine. It is safe for concurrent use.
type Book struct {
	path    string
	options Options

	mu      sync.Mutex // guards what follows, and the file
	lines   []Line     // oldest first
	refused error      // why the file is not believed
}

// Open reads the book at path. One that cannot be believed is refused with each
// use, and does not keep anything else from starting.
func Open(path string, options Options) *Book {
	if options.Disk == nil {
		options.Disk = atomicfile.OS{}
	}
	b := &Book{path: path, options: options}
	data, err := atomicfile.Read(path, maxFileBytes)
	if err == nil {
		b.lines, err = parse(data)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.refused = fmt.Errorf("%w: %s: %w", ErrUnavailable, path, err)
		options.Log.Error("the list of sent lines is not believed, and left as it is", "file", path, "error", err)
	}
	return b
}

// parse reads a file: a line with the version, then one line for each of them.
func parse(data []byte) ([]Line, error) {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := atomicfile.DecodeJSON(head, version, &struct{}{}); err != nil {
		return nil, err
	}
	var lines []Line
	for row := range bytes.Lines(rest) {
		decoder := json.NewDecoder(bytes.NewReader(row))
		decoder.DisallowUnknownFields()
		var line Line
		if err := decoder.Decode(&line); err != nil {
			return nil, fmt.Errorf("line %d is none", len(lines)+2)
		}
		if _, err := ulid.ParseStrict(line.ID); err != nil || line.At.IsZero() || line.Text == "" || len(lines) == MaxLines {
			return nil, fmt.Errorf("line %d is none", len(lines)+2)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func encode(lines []Line) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"version\":%d}\n", version)
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// Add keeps a line that was sent to a pane. Whether it may be kept has been
// asked before; see Rules.
func (b *Book) Add(pane, text string) error {
	if b.options.Off {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused != nil {
		return b.refused
	}
	now := b.options.Now()
	id, err := ulid.New(ulid.Timestamp(now), b.options.Rand)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	lines := append(slices.Clone(b.lines), Line{ID: id.String(), At: now.UTC(), Pane: pane, Text: text})
	return b.replace(lines[max(0, len(lines)-MaxLines):])
}

// Lines returns what is kept, newest first.
func (b *Book) Lines() ([]Line, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused != nil {
		return nil, b.refused
	}
	lines := slices.Clone(b.lines)
	slices.Reverse(lines)
	return lines, nil
}

// Forget takes one line away and returns it. Before it does, it asks admit with
// how many lines go; an error of admit leaves everything as it is.
func (b *Book) Forget(id string, admit func(count int) error) (Line, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused != nil {
		return Line{}, b.refused
	}
	i := slices.IndexFunc(b.lines, func(line Line) bool { return line.ID == id })
	if i < 0 {
		return Line{}, ErrNotFound
	}
	if err := admit(1); err != nil {
		return Line{}, err
	}
	line := b.lines[i]
	return line, b.replace(slices.Delete(slices.Clone(b.lines), i, i+1))
}

// Clear takes every line away, also those of a file that is not believed, and
// returns how many it knew. It asks admit as Forget does.
func (b *Book) Clear(admit func(count int) error) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := len(b.lines)
	if err := admit(count); err != nil {
		return 0, err
	}
	if err := b.replace(nil); err != nil {
		return 0, err
	}
	b.refused = nil
	return count, nil
}

// replace writes the book and takes it over. b.mu is held.
func (b *Book) replace(lines []Line) error {
	data, err := encode(lines)
	if err == nil {
		err = atomicfile.WriteOn(b.options.Disk, b.path, data)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	b.lines = lines
	return nil
}
