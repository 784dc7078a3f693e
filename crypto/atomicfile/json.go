package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// MaxJSON bounds a JSON file, in bytes.
	MaxJSON = 4 << 20
	// versionField is the field that every JSON file carries.
	versionField = "version"
)

// Named refusals of a JSON file.
var (
	// ErrVersion says that a file has no version or one that this program does
	// not know.
	ErrVersion = errors.New("unknown version")
	// ErrJSON says that a file is not the JSON object that it should be.
	ErrJSON = errors.New("not valid")
)

// WriteJSON replaces the file at path by the JSON object of v, indented, with
// its version as first field. v must be encoded as an object without one.
func WriteJSON(path string, version int, v any) error { return WriteJSONOn(OS{}, path, version, v) }

// WriteJSONOn is WriteJSON on a given disk.
func WriteJSONOn(disk Disk, path string, version int, v any) error {
	data, err := EncodeJSON(version, v)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return WriteOn(disk, path, data)
}

// EncodeJSON returns the bytes that WriteJSON writes.
func EncodeJSON(version int, v any) ([]byte, error) {
	object, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(object) < 2 || object[0] != '{' {
		return nil, fmt.Errorf("%w: it is not encoded as an object", ErrJSON)
	}
	head := fmt.Sprintf(`{%q:%d`, versionField, version)
	if object[1] != '}' {
		head += ","
	}
	var out bytes.Buffer
	if err := json.Indent(&out, append([]byte(head), object[1:]...), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	if out.Len() > MaxJSON {
		return nil, ErrTooLarge
	}
	return out.Bytes(), nil
}

// ReadJSON decodes the file at path into v, which points to a struct. It
// refuses another version with ErrVersion; and an unknown field, a name that
// occurs twice, bytes after the object and a value of another type with ErrJSON,
// by name.
func ReadJSON(path string, version int, v any) error {
	data, err := Read(path, MaxJSON)
	if err != nil {
		return err
	}
	if err := DecodeJSON(data, version, v); err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	return nil
}

// DecodeJSON is ReadJSON for bytes.
func DecodeJSON(data []byte, version int, v any) error {
	if err := checkNames(data); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	if got := string(object[versionField]); got != fmt.Sprint(version) {
		if got == "" {
			got = "none"
		}
		return fmt.Errorf("%w: %s, want %d", ErrVersion, got, version)
	}
	delete(object, versionField)
	rest, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(rest))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return nil
}

// checkNames refuses an object that has a name twice, at any depth.
// encoding/json would let the last one win, in whatever case it is spelled.
func checkNames(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	type level struct {
		names map[string]bool // nil in an array
		value bool            // the next token is a value, not a name
	}
	var levels []level
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			levels = levels[:len(levels)-1]
			continue
		}
		if n := len(levels); n > 0 && levels[n-1].names != nil {
			top := &levels[n-1]
			if name, ok := token.(string); ok && !top.value {
				if name = strings.ToLower(name); top.names[name] {
					return fmt.Errorf("the name %q occurs twice", name)
				}
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{names: map[string]bool{}})
		case json.Delim('['):
			levels = append(levels, level{})
		}
	}
}
