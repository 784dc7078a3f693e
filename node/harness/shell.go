package harness

import (
	"path"
	"slices"
	"strings"
)

// shell is the adapter of a pane without an agent. Its input is the line at the
// cursor; a menu that a program in it shows is no place for a line.
var shell = &Adapter{Name: ShellName, Screen: &Layout{Menus: true}}

// shells are the programs at whose prompt a person stands when nothing runs.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "nu", "elvish", "xonsh"}

// shellValues are the options of theirs that take the next argument.
var shellValues = append([]string{"--rcfile", "--init-file"}, posix.values...)

// AtPrompt reports whether a process is a shell that takes lines from a person,
// not one that runs a script or a line that it was given.
func AtPrompt(args []string) bool {
	if len(args) == 0 || !slices.Contains(shells, strings.TrimPrefix(path.Base(args[0]), "-")) {
		return false
	}
	for i := 1; i < len(args); i++ {
		if slices.Contains(shellValues, args[i]) {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") && !strings.HasPrefix(args[i], "+") {
			return false // a script, or the line of -c
		}
	}
	return true
}
