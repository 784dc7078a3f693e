package launch

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Row is one way to start a pane: a recipe, which names a harness and options
// of our table, or a command that somebody typed.
type Row struct {
	Name    string   `json:"name" toml:"name"`
	Harness string   `json:"harness,omitempty" toml:"harness"`
	Options []string `json:"options,omitempty" toml:"options"`
	Command string   `json:"command,omitempty" toml:"command"`
	// Folder is absolute or begins with ~/; empty is the home folder.
	Folder string `json:"folder,omitempty" toml:"folder"`
}

// Check refuses a row that cannot be started, in words for who wrote it.
func (r Row) Check() error {
	name := strings.TrimSpace(r.Name)
	switch {
	case name == "" || name != r.Name || utf8.RuneCountInString(name) > MaxNameChars || !printable(name):
		return fmt.Errorf("name has to be 1 to %d characters on one line", MaxNameChars)
	case (r.Harness == "") == (r.Command == ""):
		return errors.New("either harness or command has to be there, and not both")
	case len(r.Folder) > MaxFolderBytes || !printable(r.Folder):
		return errors.New("folder is no path")
	case r.Folder != "" && r.Folder != "~" && !strings.HasPrefix(r.Folder, "/") && !strings.HasPrefix(r.Folder, "~/"):
		return errors.New("folder has to begin with / or ~/")
	case r.Command != "":
		return r.checkCommand()
	}
	harness, ok := find(r.Harness)
	if !ok {
		return fmt.Errorf("harness %q is none of %s", bounded(r.Harness), strings.Join(names(), ", "))
	}
	for i, name := range r.Options {
		if _, ok := harness.option(name); !ok {
			return fmt.Errorf("%s has no option %q", r.Harness, bounded(name))
		}
		if slices.Contains(r.Options[:i], name) {
			return fmt.Errorf("option %q is there twice", name)
		}
	}
	return nil
}

func (r Row) checkCommand() error {
	switch {
	case len(r.Options) > 0:
		return errors.New("options belong to a harness")
	case utf8.RuneCountInString(r.Command) > MaxCommandChars || !printable(r.Command):
		return fmt.Errorf("command has to be one line of at most %d characters", MaxCommandChars)
	case strings.TrimSpace(r.Command) == "":
		return errors.New("command is empty")
	}
	return nil
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) })
}

func bounded(text string) string { return strings.ToValidUTF8(text[:min(len(text), 40)], "") }

func names() []string {
	var all []string
	for _, h := range harnesses {
		all = append(all, h.Name)
	}
	return all
}

// ID names a row by what it does, so that one that was changed is another one:
// it has to be confirmed anew.
func (r Row) ID() string {
	data, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has nothing but strings
	}
	sum := sha256.Sum256(data)
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// Line is what a row starts, as a person reads it.
func (r Row) Line() string {
	if r.Command != "" {
		return r.Command
	}
	return strings.Join(r.argv(), " ")
}

// argv is the command line of a recipe.
func (r Row) argv() []string {
	harness, _ := find(r.Harness)
	argv := []string{harness.Program}
	for _, name := range r.Options {
		option, _ := harness.option(name)
		argv = append(argv, option.Flags...)
	}
	return argv
}

// NoConfirmation reports whether the row starts an agent that asks less before
// it acts. Of a typed command the known flags are looked for.
func (r Row) NoConfirmation() bool {
	harness, _ := find(r.Harness)
	for _, name := range r.Options {
		if option, ok := harness.option(name); ok && option.NoConfirmation {
			return true
		}
	}
	fields := strings.FieldsFunc(r.Command, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("'\"=;&|()", c) })
	return slices.ContainsFunc(fields, skips)
}

// Start is the command of the pane. A program that is where the node looks for
// programs is started as it is; anything else by the account's shell as it is at
// a login, which may look in more places.
func (r Row) Start(shell string, found func(program string) bool) []string {
	if r.Command != "" {
		return []string{shell, "-l", "-i", "-c", r.Command}
	}
	argv := r.argv()
	if found(argv[0]) {
		return argv
	}
	return []string{shell, "-l", "-i", "-c", "exec " + strings.Join(argv, " ")}
}
