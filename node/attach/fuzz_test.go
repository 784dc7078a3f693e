package attach_test

import (
	"bytes"
	"testing"

	"collie/node/attach"
	"collie/node/pane"
)

// FuzzTyped: what a person types arrives in order and nothing is lost, but for
// the brackets of a paste that were not asked for, and the keys that detach.
func FuzzTyped(f *testing.F) {
	f.Add([]byte("ab\x1b[Ac\x1b[200~x\x1b[201~"), 3, true)
	f.Add([]byte("\x1c\x1cx"), 1, false)
	f.Add([]byte("\x1b[200~\x1b[20\x1b[201~\x1b[B"), 2, false)
	f.Fuzz(func(t *testing.T, typed []byte, cut int, asked bool) {
		detach, err := attach.NewDetach(attach.DefaultDetach)
		if err != nil {
			t.Fatal(err)
		}
		var translate attach.Translator
		var out []byte
		cut = min(max(cut, 0), len(typed))
		for _, part := range [][]byte{typed[:cut], typed[cut:]} {
			send, over := detach.Feed(bytes.Clone(part))
			got, err := translate.Translate(send, func() (pane.Modes, error) {
				return pane.Modes{BracketedPaste: asked, ApplicationCursor: asked}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, got...)
			if over {
				break
			}
		}
		if len(out) > len(typed) {
			t.Errorf("%q became %q", typed, out)
		}
		if !bytes.ContainsAny(typed, "\x1b\x1c") && !bytes.Equal(out, typed) {
			t.Errorf("%q became %q", typed, out)
		}
	})
}
