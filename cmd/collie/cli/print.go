package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"

	"golang.org/x/term"

	"collie/node/trust"
)

// print writes a document: as JSON when that was asked for, else as text. Text
// is cleaned: a title, a label or a folder's name may come from a program or
// from another machine, and could speak to the terminal.
func (a *app) print(document any, text func(w io.Writer)) error {
	if a.json {
		encoder := json.NewEncoder(a.stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(document)
	}
	var plain bytes.Buffer
	text(&plain)
	_, err := io.WriteString(a.stdout, trust.CleanText(plain.String(), math.MaxInt))
	return err
}

// toTerminal reports whether a person reads what is written.
func toTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// fromTerminal reports whether a person types what is read.
func fromTerminal(r io.Reader) bool {
	file, ok := r.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
