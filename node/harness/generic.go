package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// TableName is the file in the config folder with the operator's own rows.
const TableName = "harnesses.toml"

// ErrTable is wrapped by every refusal of the operator's table.
var ErrTable = errors.New(TableName + " cannot be used")

// generic is the adapter of an agent that is known by its name alone. Its screen
// is not understood, so it has no questions and no status but unknown.
func generic(name string) *Adapter {
	return &Adapter{Name: name, Screen: &Layout{Menus: true}}
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// A row of the operator's table.
type row struct {
	Name    string   `toml:"name"`
	Process []string `toml:"process"`
	Script  []string `toml:"script"`
	Input   string   `toml:"input"`
}

// Load returns the adapters of this package and those of the operator's table.
// A table that is not there is empty. One that cannot be read refuses: without
// it an agent would count as the operator.
func Load(file string) (*Set, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Builtin(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTableBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return Parse(data)
}

// Parse reads the operator's table.
func Parse(data []byte) (*Set, error) {
	if len(data) > maxTableBytes {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", ErrTable, maxTableBytes)
	}
	var table struct {
		Harness []row `toml:"harness"`
	}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&table)
	var unknown *toml.StrictMissingError
	var misplaced *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		line, _ := unknown.Errors[0].Position()
		return nil, fmt.Errorf("%w: line %d: unknown key %s", ErrTable, line, strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &misplaced):
		line, _ := misplaced.Position()
		return nil, fmt.Errorf("%w: line %d: %w", ErrTable, line, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	case len(table.Harness) > maxRows:
		return nil, fmt.Errorf("%w: more than %d rows", ErrTable, maxRows)
	}
	set := &Set{adapters: slices.Clone(builtin)}
	for i, r := range table.Harness {
		a, err := r.adapter()
		if err == nil && slices.ContainsFunc(set.adapters, func(b *Adapter) bool { return b.Name == a.Name }) {
			err = errors.New("the name is taken")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", ErrTable, i+1, err)
		}
		set.adapters = append(set.adapters, a)
	}
	return set, nil
}

func (r row) adapter() (*Adapter, error) {
	switch {
	case !nameForm.MatchString(r.Name) || r.Name == ShellName || r.Name == AgentName:
		return nil, errors.New("name has to be 1 to 32 of a-z, 0-9 and -, and neither shell nor agent")
	case len(r.Process)+len(r.Script) == 0:
		return nil, errors.New("process or script has to say how the program looks")
	case len(r.Process)+len(r.Script) > maxLooks:
		return nil, fmt.Errorf("more than %d names and scripts", maxLooks)
	case r.Input != "" && r.Input != "line" && r.Input != "paste":
		return nil, errors.New(`input has to be "line" or "paste"`)
	}
	for _, name := range r.Process {
		_, interprets := interpreters[name]
		switch {
		case name == "" || len(name) > maxLookBytes || strings.Contains(name, "/"):
			return nil, errors.New("process has to be the name of an executable, without a folder")
		case interprets:
			return nil, errors.New("process is an interpreter, which runs much else: say script instead")
		}
	}
	for _, end := range r.Script {
		if end == "" || len(end) > maxLookBytes || strings.HasPrefix(end, "/") {
			return nil, errors.New("script has to be the end of a path")
		}
	}
	a := generic(r.Name)
	a.Looks = Looks{Names: r.Process, Scripts: r.Script}
	a.ByLine = r.Input != "paste"
	return a, nil
}
