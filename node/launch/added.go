package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"collie/crypto/atomicfile"
)

var (
	// ErrTooMany says that phones have added as many rows as a machine takes.
	ErrTooMany = fmt.Errorf("phones have added %d rows on that machine, and more it does not take", MaxAdded)
	// ErrExists says that the device has added that row.
	ErrExists = errors.New("this device has added that row already")
	// ErrNoRow says that no row of that device has that id.
	ErrNoRow = errors.New("this device has added no such row")
)

// An Owner is one pairing of a device. A later pairing under the same label is
// another one.
type Owner struct {
	Label string    `json:"label"`
	Since time.Time `json:"since"`
}

// Is compares two owners.
func (o Owner) Is(other Owner) bool { return o.Label == other.Label && o.Since.Equal(other.Since) }

// An AddedRow is a row that a phone added for one machine.
type AddedRow struct {
	Host  string `json:"host,omitempty"` // a member's id; empty is this machine
	Owner Owner  `json:"owner"`
	Row   Row    `json:"row"`
}

// ID names the row of that owner.
func (a AddedRow) ID() string {
	named := a.Row
	named.Name += "\x00" + a.Owner.Label + "\x00" + a.Owner.Since.UTC().Format(time.RFC3339Nano)
	return "a" + named.ID()
}

// Added are the rows that phones added, on the machine that phones talk to. A
// file that cannot be believed is left as it is, and there are none then.
type Added struct {
	path string

	mu      sync.Mutex // guards what follows, and the file
	rows    []AddedRow
	refused error
}

type addedFile struct {
	Rows []AddedRow `json:"rows"`
}

// OpenAdded reads the rows at path.
func OpenAdded(path string, log *slog.Logger) *Added {
	a := &Added{path: path}
	var file addedFile
	err := atomicfile.ReadJSON(path, version, &file)
	if err == nil && len(file.Rows) > maxAddedFile {
		err = errors.New("it has too many rows")
	}
	for _, row := range file.Rows {
		if err == nil {
			err = row.Row.Check()
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.refused = fmt.Errorf("%w: %s: %w", ErrUnavailable, path, err)
		log.Error("the rows that phones added are not believed, and left as they are", "file", path, "error", err)
		return a
	}
	a.rows = file.Rows
	return a
}

// Of returns the rows for a machine, oldest first.
func (a *Added) Of(host string) []AddedRow {
	a.mu.Lock()
	defer a.mu.Unlock()
	var rows []AddedRow
	for _, row := range a.rows {
		if row.Host == host {
			rows = append(rows, row)
		}
	}
	return rows
}

// Add adds a row. It has been checked.
func (a *Added) Add(row AddedRow) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refused != nil {
		return a.refused
	}
	count := 0
	for _, other := range a.rows {
		if other.Host != row.Host {
			continue
		}
		if other.ID() == row.ID() {
			return ErrExists
		}
		count++
	}
	if count >= MaxAdded || len(a.rows) >= maxAddedFile {
		return ErrTooMany
	}
	return a.replace(append(slices.Clone(a.rows), row))
}

// Remove takes a row of an owner away.
func (a *Added) Remove(host string, owner Owner, id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refused != nil {
		return a.refused
	}
	left := slices.DeleteFunc(slices.Clone(a.rows), func(row AddedRow) bool {
		return row.Host == host && row.Owner.Is(owner) && row.ID() == id
	})
	if len(left) == len(a.rows) {
		return ErrNoRow
	}
	return a.replace(left)
}

// Prune takes away every row whose owner is gone, and returns how many.
func (a *Added) Prune(paired func(Owner) bool) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(a.rows), func(row AddedRow) bool { return !paired(row.Owner) })
	gone := len(a.rows) - len(left)
	if gone == 0 {
		return 0, nil
	}
	return gone, a.replace(left)
}

// replace writes the file and takes it over. a.mu is held.
func (a *Added) replace(rows []AddedRow) error {
	if err := atomicfile.WriteJSON(a.path, version, addedFile{Rows: rows}); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	a.rows = rows
	return nil
}
