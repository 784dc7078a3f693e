// Package shell writes a text as one word of a shell's command line, and reads such
// a word back.
package shell

import (
	"regexp"
	"strings"
)

// plain are the words that no shell takes for anything else.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./@%+=:,-]+$`)

// Word returns a text as one word for sh(1).
func Word(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return Quoted(text)
}

// Quoted returns a text as one word for sh(1) in quotes, needed or not.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Text returns what a Word stands for.
func Text(word string) string {
	if len(word) >= 2 && word[0] == '\'' && word[len(word)-1] == '\'' {
		return strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	}
	return word
}
