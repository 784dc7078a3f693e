package attach_test

import (
	"bytes"
	"strings"
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

// FuzzLog: no character that is typed is in the log of it, and none is counted
// twice.
func FuzzLog(f *testing.F) {
	f.Add([]byte("ab\x1b[A\x1b[200~x\r\x1b[201~\r"), 3)
	f.Add([]byte("\x1b[1;5"), 2)
	f.Add([]byte("\xe6\xbc\xa2\x1bx"), 1)
	f.Fuzz(func(t *testing.T, typed []byte, cut int) {
		var names attach.Names
		cut = min(max(cut, 0), len(typed))
		keys := append(names.Keys(typed[:cut]), names.Keys(typed[cut:])...)
		if len(keys) > len(typed) {
			t.Errorf("%q has %d keys", typed, len(keys))
		}
		for _, key := range keys {
			name, control := strings.CutPrefix(key, "Ctrl+")
			if key != attach.Mark && (len(key) < 2 || control && len(name) == 1 && (name[0] < '@' || name[0] > '_')) {
				t.Errorf("%q is logged as %q", typed, key)
			}
		}
	})
}
