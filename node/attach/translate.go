package attach

import (
	"bytes"

	"collie/node/pane"
)

// What the person's terminal sends. It is in bracketed paste and in the normal
// mode of cursor keys for as long as it shows a pane.
var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// A Translator makes what a terminal sends what the pane's program has asked its
// own terminal for.
type Translator struct {
	pasting   bool
	bracketed bool   // the paste goes on with its brackets
	held      []byte // the beginning of what may be the end of a paste
}

// Translate returns what to type. Modes is asked only when the answer matters.
func (t *Translator) Translate(typed []byte, modes func() (pane.Modes, error)) ([]byte, error) {
	typed = append(t.held, typed...)
	t.held = nil
	var out []byte
	for len(typed) > 0 {
		if t.pasting {
			text, rest, ended := bytes.Cut(typed, pasteEnd)
			if !ended {
				kept := partOf(text, pasteEnd)
				t.held = bytes.Clone(text[len(text)-kept:])
				return append(out, text[:len(text)-kept]...), nil
			}
			out = append(out, text...)
			if t.bracketed {
				out = append(out, pasteEnd...)
			}
			typed, t.pasting = rest, false
			continue
		}
		keys, rest, begins := bytes.Cut(typed, pasteBegin)
		if begins || hasCursorKey(keys) {
			asked, err := modes()
			if err != nil {
				return nil, err
			}
			if asked.ApplicationCursor {
				keys = application(keys)
			}
			t.pasting, t.bracketed = begins, asked.BracketedPaste
		}
		out = append(out, keys...)
		if begins && t.bracketed {
			out = append(out, pasteBegin...)
		}
		typed = rest
	}
	return out, nil
}

// partOf returns how many bytes at the end of text may begin mark.
func partOf(text, mark []byte) int {
	for n := min(len(text), len(mark)-1); n > 0; n-- {
		if bytes.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}

func isCursorKey(b byte) bool { return b >= 'A' && b <= 'D' || b == 'F' || b == 'H' }

func hasCursorKey(keys []byte) bool {
	for i := 0; i+2 < len(keys); i++ {
		if keys[i] == 0x1b && keys[i+1] == '[' && isCursorKey(keys[i+2]) {
			return true
		}
	}
	return false
}

// application turns CSI into SS3 before each cursor key.
func application(keys []byte) []byte {
	keys = bytes.Clone(keys)
	for i := 0; i+2 < len(keys); i++ {
		if keys[i] == 0x1b && keys[i+1] == '[' && isCursorKey(keys[i+2]) {
			keys[i+1] = 'O'
		}
	}
	return keys
}
