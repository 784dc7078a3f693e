package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"collie/node/api"
)

const (
	// maxSecretBytes bounds a secret as it is given.
	maxSecretBytes = 64 << 10
	// maxTextBytes bounds a text to send; a node takes less of most.
	maxTextBytes = api.MaxRequestBytes
)

// secret reads a secret from stdin ("-"), from a file ("@file"), or takes the
// argument itself, with a warning, because a command line is not private.
func (a *app) secret(argument string) (string, error) {
	if argument != "-" && !strings.HasPrefix(argument, "@") {
		fmt.Fprintln(a.stderr, "collie: a token on the command line can be seen by other programs; give it on stdin with -")
		return pasted(argument), nil
	}
	text, err := a.read(argument, maxSecretBytes)
	return pasted(text), err
}

// ask reads a secret from the terminal without showing it, or from stdin.
func (a *app) ask(ctx context.Context, prompt string) (string, error) {
	if !fromTerminal(a.stdin) {
		text, err := a.read("-", maxSecretBytes)
		return pasted(text), err
	}
	fd := int(a.stdin.(*os.File).Fd())
	shown, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	ctx, stop := untilStopped(ctx)
	defer stop()
	type answer struct {
		typed []byte
		err   error
	}
	answered := make(chan answer, 1)
	fmt.Fprint(a.stderr, prompt)
	go func() { // on a signal it is left behind; the program ends then
		typed, err := term.ReadPassword(fd)
		answered <- answer{typed, err}
	}()
	select {
	case got := <-answered:
		fmt.Fprintln(a.stderr)
		return pasted(string(got.typed)), got.err
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
		_ = term.Restore(fd, shown) // without it the terminal would stay mute
		return "", fmt.Errorf("nothing was done: %w", context.Cause(ctx))
	}
}

// pasted drops what a copy brings along unseen: blanks, line ends, characters
// without a width. None of them is part of a token.
func pasted(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.C, unicode.Z, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, text)
}

// text reads what a command is to send: the argument, "-" for stdin, "@file".
func (a *app) text(argument string) (string, error) {
	if argument != "-" && !strings.HasPrefix(argument, "@") {
		return argument, nil
	}
	text, err := a.read(argument, maxTextBytes)
	if err == nil && !utf8.ValidString(text) {
		err = &stated{errNotText, exitUsage, ""}
	}
	return text, err
}

// errNotText refuses bytes that are no text: on their way they would become others,
// and what is sent, signed and said to be delivered is what was given.
var errNotText = errors.New("the text is not UTF-8")

// read reads stdin ("-") or a file ("@file"), and refuses more than most bytes:
// what is cut would say something else.
func (a *app) read(argument string, most int64) (string, error) {
	from, name := a.stdin, "stdin"
	if argument != "-" {
		file, err := os.Open(argument[1:])
		if err != nil {
			return "", err
		}
		defer file.Close()
		from, name = file, file.Name()
	}
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	if err != nil {
		return "", err
	}
	return string(data), nil
}
