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
	"errors"
	"fmt"

	"collie/node/strict"
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
	var file file
	data, err := strict.Load(path, &file)
	if err != nil {
		return Table{}, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return file.table(data)
}

// Parse reads the text of the operator's file.
func Parse(data []byte) (Table, error) {
	var file file
	if err := strict.Parse(data, &file); err != nil {
		return Table{}, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return file.table(data)
}

type file struct {
	Phone struct {
		Adds     *bool `toml:"adds"`
		FreeText *bool `toml:"free_text"`
		Run      *bool `toml:"run"`
	} `toml:"phone"`
	Launcher []Row `toml:"launcher"`
}

func (f file) table(data []byte) (Table, error) {
	if len(f.Launcher) > MaxRows {
		return Table{}, fmt.Errorf("%w: more than %d rows", ErrTable, MaxRows)
	}
	for i, row := range f.Launcher {
		if err := row.Check(); err != nil {
			return Table{}, fmt.Errorf("%w: %w", ErrTable, strict.In(data, "launcher", i, err))
		}
	}
	return Table{
		Phone: Phone{Adds: or(f.Phone.Adds, true), FreeText: or(f.Phone.FreeText, false), Run: or(f.Phone.Run, true)},
		Rows:  f.Launcher,
	}, nil
}

func or(value *bool, absent bool) bool {
	if value == nil {
		return absent
	}
	return *value
}
