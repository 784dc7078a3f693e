package pane

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// terminalOnly are variables that describe the terminal or the service that the
// node was started from. In a pane they would be lies.
var terminalOnly = []string{
	"TERM", "COLORTERM", "TERMCAP", "LINES", "COLUMNS", "WINDOWID", "STY", "WINDOW", "TMUX", "TMUX_PANE",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION", "PWD", "OLDPWD",
	"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
	"INVOCATION_ID", "JOURNAL_STREAM", "MAINPID",
}

const ownPrefix = "COLLIE_"

// Inherited returns what a pane, and what keeps it, get of the node's environment.
func Inherited(environ []string) []string {
	kept := make([]string, 0, len(environ))
	for _, entry := range environ {
		key, _, found := strings.Cut(entry, "=")
		if found && key != "" && !strings.HasPrefix(key, ownPrefix) && !slices.Contains(terminalOnly, key) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// variable returns the value of the last entry for key, which is the one that counts.
func variable(environ []string, key string) string {
	for _, entry := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(entry, key+"="); found {
			return value
		}
	}
	return ""
}

// environment returns the whole environment of a pane's program.
func environment(environ []string, id ID, socket, cwd string, added []string) []string {
	env := append(Inherited(environ), added...)
	if variable(env, "LC_ALL")+variable(env, "LC_CTYPE")+variable(env, "LANG") == "" {
		env = append(env, "LANG=C.UTF-8") // a service has none, and the terminal speaks UTF-8
	}
	return append(env,
		"TERM=xterm-256color", "COLORTERM=truecolor", "PWD="+cwd, "COLLIE_PANE="+string(id), "COLLIE_SOCKET="+socket)
}

func checkVariables(added []string) error {
	size := 0
	for _, entry := range added {
		key, _, found := strings.Cut(entry, "=")
		size += len(entry)
		switch {
		case !found || key == "" || strings.ContainsRune(entry, 0):
			return fmt.Errorf("%w: an entry is not KEY=value", ErrEnvironment)
		case strings.HasPrefix(key, ownPrefix) || key == "TERM":
			return fmt.Errorf("%w: %s is not for a pane's environment", ErrEnvironment, key)
		}
	}
	if len(added) > maxVariables || size > maxVariableBytes {
		return fmt.Errorf("%w: more than %d entries or %d bytes", ErrEnvironment, maxVariables, maxVariableBytes)
	}
	return nil
}

// shell returns the account's shell.
func shell(environ []string) string {
	if path := variable(environ, "SHELL"); filepath.IsAbs(path) {
		return path
	}
	return "/bin/sh"
}
