// Package launch knows the ways in which a phone may start something on this
// machine: rows of the operator's launchers.toml, rows that a phone added, and
// one-off lines.
//
// A recipe names a harness and options; its flags come from the table in
// recipes.go, so that whoever adds a recipe words no flag. A row that makes an
// agent ask less before it acts says so. What a phone may add is in the table
// [phone] of the file, which is read anew each time; a file that cannot be used
// lets nobody start anything, and the refusal names line and column.
package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"collie/crypto/atomicfile"
)

// TableName is the operator's file in the config folder.
const TableName = "launchers.toml"

// ErrTable is wrapped by every refusal of the operator's file.
var ErrTable = errors.New(TableName + " cannot be used")

// Phone is what a paired phone may do here.
type Phone struct {
	Adds     bool // add recipes
	FreeText bool // add rows with a command that was typed
	Run      bool // run one-off lines
}

// A Table is the operator's file.
type Table struct {
	Phone Phone
	Rows  []Row
}

// Load reads the operator's file. One that is not there is empty.
func Load(path string) (Table, error) {
	data, err := atomicfile.Read(path, maxFileBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Table{}, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return Parse(data)
}

// Parse reads the text of the operator's file.
func Parse(data []byte) (Table, error) {
	var file struct {
		Phone struct {
			Adds     *bool `toml:"adds"`
			FreeText *bool `toml:"free_text"`
			Run      *bool `toml:"run"`
		} `toml:"phone"`
		Launcher []Row `toml:"launcher"`
	}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file)
	var unknown *toml.StrictMissingError
	var misplaced *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		return Table{}, at(&unknown.Errors[0], "unknown key "+strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &misplaced):
		return Table{}, at(misplaced, strings.TrimPrefix(misplaced.Error(), "toml: "))
	case err != nil:
		return Table{}, fmt.Errorf("%w: %w", ErrTable, err)
	case len(file.Launcher) > MaxRows:
		return Table{}, fmt.Errorf("%w: more than %d rows", ErrTable, MaxRows)
	}
	for i, row := range file.Launcher {
		if err := row.Check(); err != nil {
			line, column := headerOf(data, i)
			return Table{}, fmt.Errorf("%w: line %d, column %d: %w", ErrTable, line, column, err)
		}
	}
	return Table{
		Phone: Phone{Adds: or(file.Phone.Adds, true), FreeText: or(file.Phone.FreeText, false), Run: or(file.Phone.Run, true)},
		Rows:  file.Launcher,
	}, nil
}

func at(err *toml.DecodeError, what string) error {
	line, column := err.Position()
	return fmt.Errorf("%w: line %d, column %d: %s", ErrTable, line, column, what)
}

// headerOf returns where the n-th row of a file that can be read begins.
func headerOf(data []byte, n int) (line, column int) {
	for text := range bytes.Lines(data) {
		line++
		if head := bytes.TrimLeft(text, " \t"); bytes.HasPrefix(bytes.ReplaceAll(head, []byte(" "), nil), []byte("[[launcher]]")) {
			if n--; n < 0 {
				return line, len(text) - len(head) + 1
			}
		}
	}
	return max(line, 1), 1 // rows that are written in another way
}

func or(value *bool, absent bool) bool {
	if value == nil {
		return absent
	}
	return *value
}
