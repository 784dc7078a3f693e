// Package strict reads the operator's TOML files: a key that is not known is
// refused, and every refusal says line and column, so that a mistake is found
// where it was made.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"collie/crypto/atomicfile"
)

// maxFileBytes bounds one file.
const maxFileBytes = 256 << 10

// Load reads a file into the struct that into points to. One that is not there
// is empty.
func Load(path string, into any) (data []byte, err error) {
	data, err = atomicfile.Read(path, maxFileBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return data, Parse(data, into)
}

// Parse reads a text into the struct that into points to.
func Parse(data []byte, into any) error {
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into)
	var unknown *toml.StrictMissingError
	var misplaced *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		return at(&unknown.Errors[0], "unknown key "+strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &misplaced):
		return at(misplaced, strings.TrimPrefix(misplaced.Error(), "toml: "))
	}
	return err
}

func at(err *toml.DecodeError, what string) error {
	line, column := err.Position()
	return fmt.Errorf("line %d, column %d: %s", line, column, what)
}

// In says of which row of a list a refusal is: rows are written as [[name]], and
// n counts from 0. Rows that are written in another way are said to be in line 1.
func In(data []byte, name string, n int, err error) error {
	line, column := 0, 1
	for text := range bytes.Lines(data) {
		line++
		head := bytes.TrimLeft(text, " \t")
		if !bytes.HasPrefix(bytes.ReplaceAll(head, []byte(" "), nil), []byte("[["+name+"]]")) {
			continue
		}
		if n--; n < 0 {
			return fmt.Errorf("line %d, column %d: %w", line, len(text)-len(head)+1, err)
		}
	}
	return fmt.Errorf("line 1, column %d: %w", column, err)
}
