package harness

import (
	"path"
	"slices"
	"strings"
)

// Looks are the ways in which the process of a harness may look.
type Looks struct {
	// Names are those of its executable, and of a script that is started by its
	// own first line.
	Names []string
	// Scripts are the ends of the paths that an interpreter is given, by whole
	// folder names.
	Scripts []string
}

// Match reports whether a process looks so: by the name that the kernel has for it,
// and by its command line. A program may change both; one that hides itself from its
// own user is outside of what can be held.
func (l Looks) Match(name string, args []string) bool {
	if slices.Contains(l.Names, name) {
		return true
	}
	if len(args) == 0 {
		return false
	}
	program := path.Base(args[0])
	if slices.Contains(l.Names, program) {
		return true
	}
	script := script(program, args[1:])
	if script == "" {
		return false
	}
	if slices.Contains(l.Names, path.Base(script)) {
		return true
	}
	return slices.ContainsFunc(l.Scripts, func(end string) bool {
		return script == end || strings.HasSuffix(script, "/"+end)
	})
}

// An interpreter is a program whose process says little about what it runs.
type interpreter struct {
	// verbs come before the script (bun run SCRIPT).
	verbs []string
	// values are the options that take the next argument.
	values []string
	// inline are the options after which there is no script.
	inline []string
}

var (
	javascript = interpreter{
		verbs:  []string{"run", "x"},
		values: []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--title", "--preload", "--cwd"},
		inline: []string{"-e", "--eval", "-p", "--print", "-pe"},
	}
	python = interpreter{values: []string{"-W", "-X"}, inline: []string{"-c"}} // -m NAME: the module stands where a script does
	posix  = interpreter{values: []string{"-o", "+o", "-O", "+O"}, inline: []string{"-c"}}
)

var interpreters = map[string]interpreter{
	"node": javascript, "nodejs": javascript, "bun": javascript, "deno": javascript, "tsx": javascript,
	"python": python, "python3": python, "ruby": {inline: []string{"-e"}},
	"sh": posix, "bash": posix, "dash": posix, "zsh": posix, "ksh": posix,
}

// script returns the script that an interpreter runs, or "".
func script(program string, args []string) string {
	how, ok := interpreters[program]
	if !ok && strings.HasPrefix(program, "python3.") {
		how, ok = python, true
	}
	if !ok {
		return ""
	}
	verbs := how.verbs
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case slices.Contains(how.inline, arg):
			return ""
		case slices.Contains(how.values, arg):
			i++
		case strings.HasPrefix(arg, "-"):
		case slices.Contains(verbs, arg):
			verbs = nil
		default:
			return arg
		}
	}
	return ""
}
