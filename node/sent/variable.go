package sent

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// assignment is a word that sets a variable where a shell expects a command:
	// NAME=, NAME+=, NAME[1]=.
	assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?\+?=`)
	// defaulting sets a variable that has no value: ${NAME:=value}.
	defaulting = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*:?=`)
)

var (
	// openers are words after which a shell expects a command again.
	openers = []string{
		"{", "!", "if", "then", "else", "elif", "while", "until", "do", "time", "exec", "command", "builtin", "nohup", "coproc", "eval",
	}
	// setters take assignments as arguments.
	setters = []string{"export", "declare", "typeset", "local", "readonly", "env", "sudo", "doas", "alias", "setx"}
	// flags of other programs take one assignment, glued to them or as the next word.
	flags = []string{"--env=", "--build-arg=", "-e", "-E", "-D"}
	// namers take a name and a value, without a sign between them.
	namers = []string{"setenv", "read", "mapfile", "readarray", "let", "getopts"}
)

// setsVariable reports whether a line sets a variable, for itself or for the
// program that it runs: at the start of a command in any form, as an argument of
// one that sets variables, and anywhere as a word NAME=value with a capital in
// its name, as programs such as make, docker or a wrapper take it. A command
// inside quotes is looked into as well.
func setsVariable(line string, depth int) bool {
	if defaulting.MatchString(line) {
		return true
	}
	c := command{}
	for _, w := range split(line) {
		if c.takes(w) || w.quoted && depth < maxNesting && strings.ContainsAny(w.text, " \t\n;&|=(") && setsVariable(w.text, depth+1) {
			return true
		}
	}
	return false
}

// A command is a place in a line while its words are read.
type command struct {
	name   string // "" while the command's own word is still to come
	before string // the word before
}

// takes reports whether a word sets a variable there, and goes on behind it.
func (c *command) takes(w word) bool {
	before := c.before
	c.before = w.text
	if w.operator {
		c.name, c.before = "", ""
		return false
	}
	found := assignment.FindStringSubmatch(w.text)
	if c.name == "" {
		switch {
		case found != nil, strings.HasPrefix(w.text, "$") && strings.Contains(w.text, "="):
			return true
		case !slices.Contains(openers, w.text):
			c.name = w.text
		}
		return false
	}
	switch {
	case strings.HasPrefix(c.name, "$") && w.text == "=": // as PowerShell has it
		return true
	case c.name == "set":
		return !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+") && !strings.HasSuffix(before, "o")
	case slices.Contains(namers, c.name), c.name == "printf" && w.text == "-v":
		return true
	case slices.Contains(setters, c.name) && found != nil:
		return true
	}
	for _, flag := range flags {
		if rest, ok := strings.CutPrefix(w.text, flag); ok && assignment.MatchString(rest) {
			return true
		}
		if found != nil && before == strings.TrimSuffix(flag, "=") {
			return true
		}
	}
	return found != nil && found[1] != strings.ToLower(found[1])
}

// A word is one of a line as a shell reads it, without its quotes; or an
// operator, behind which another command begins.
type word struct {
	text     string
	quoted   bool
	operator bool
}

// split takes a line apart as a shell does. A quote that is not closed ends with
// the line.
func split(line string) []word {
	var words []word
	var text strings.Builder
	begun, quoted := false, false
	end := func() {
		if begun {
			words = append(words, word{text: text.String(), quoted: quoted})
		}
		text.Reset()
		begun, quoted = false, false
	}
	var quote rune // the one that is open
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
			text.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				text.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, begun, quoted = r, true, true
		case r == ' ' || r == '\t' || r == '<' || r == '>':
			end()
		case strings.ContainsRune(";&|()`\n", r):
			end()
			words = append(words, word{operator: true})
		default:
			begun = true
			text.WriteRune(r)
		}
	}
	end()
	return words
}
