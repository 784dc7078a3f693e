package pane_test

import (
	"errors"
	"strings"
	"testing"

	"collie/node/pane"
)

func TestEncodeKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys  string
		modes pane.Modes
		want  string
	}{
		{"Enter Escape Tab Backspace Space", pane.Modes{}, "\r\x1b\t\x7f "},
		{"Up Down Right Left Home End", pane.Modes{}, "\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F"},
		{"Up Down Right Left Home End", pane.Modes{ApplicationCursor: true}, "\x1bOA\x1bOB\x1bOC\x1bOD\x1bOH\x1bOF"},
		{"Ctrl+Up Shift+Left Ctrl+Alt+Shift+End", pane.Modes{ApplicationCursor: true}, "\x1b[1;5A\x1b[1;2D\x1b[1;8F"},
		{"PageUp PageDown Insert Delete Ctrl+Delete", pane.Modes{}, "\x1b[5~\x1b[6~\x1b[2~\x1b[3~\x1b[3;5~"},
		{"F1 F4 F5 F6 F10 F11 F12", pane.Modes{}, "\x1bOP\x1bOS\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~"},
		{"Shift+F1 Alt+F5", pane.Modes{}, "\x1b[1;2P\x1b[15;3~"},
		{"Shift+Tab Alt+Enter Ctrl+Backspace Alt+Backspace", pane.Modes{}, "\x1b[Z\x1b\r\b\x1b\x7f"},
		{"Ctrl+C Ctrl+c Ctrl+Z Ctrl+Space Ctrl+[ Ctrl+_", pane.Modes{}, "\x03\x03\x1a\x00\x1b\x1f"},
		{"Alt+x Alt+Ctrl+x Shift+a", pane.Modes{}, "\x1bx\x1b\x18A"},
		{"a é 犬 + Alt++ 1", pane.Modes{}, "aé犬+\x1b+1"},
		{"enter ESCAPE ctrl+c", pane.Modes{}, "\r\x1b\x03"},
	} {
		got, err := pane.EncodeKeys(strings.Fields(tc.keys), tc.modes)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.keys, got, err, tc.want)
		}
	}
}

func TestEncodeKeysRefusesAll(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"", "Entr", "Ctrl+", "Ctrl+é", "Ctrl+1", "Ctrl+Enter", "Shift+Enter", "Shift+1", "Ctrl+Ctrl+C", "Meta+x",
		"F13", "F0", "\x1b", "\n", "\u009b", "\ufffd", "ab", "Ctrl+Shift+C", "\xff",
	} {
		got, err := pane.EncodeKeys([]string{"a", key}, pane.Modes{})
		if !errors.Is(err, pane.ErrKey) || got != nil {
			t.Errorf("%q: %q, %v, want ErrKey", key, got, err)
		}
	}
	if _, err := pane.EncodeKeys(make([]string, pane.MaxKeys+1), pane.Modes{}); !errors.Is(err, pane.ErrTooManyKeys) {
		t.Errorf("too many: %v, want ErrTooManyKeys", err)
	}
}

func FuzzEncodeKeys(f *testing.F) {
	for _, key := range []string{"Enter", "Ctrl+C", "Alt++", "Shift+Tab", "é", "Ctrl+Alt+Shift+F12"} {
		f.Add(key, true)
	}
	f.Fuzz(func(t *testing.T, key string, application bool) {
		got, err := pane.EncodeKeys([]string{key}, pane.Modes{ApplicationCursor: application})
		if (err == nil) != (len(got) > 0) || len(got) > 16 {
			t.Fatalf("%q: %q, %v", key, got, err)
		}
	})
}

func TestAKeyIsKnownByWhatItSends(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][2]bool{
		"Escape": {true, false}, "escape": {true, false}, "Ctrl+[": {true, false}, "Alt+Escape": {true, false}, "Alt+Ctrl+[": {true, false},
		"Alt+x": {}, "Alt+[": {}, "Up": {}, "F1": {}, "[": {}, "Shift+Tab": {}, "nothing": {}, "": {},
		"Enter": {false, true}, "ctrl+m": {false, true}, "Ctrl+J": {false, true}, "Ctrl+C": {false, true}, "Ctrl+U": {false, true}, "Ctrl+D": {},
		"Alt+Enter": {}, "Ctrl+A": {}, "a": {},
	} {
		if got := [2]bool{pane.SendsEscape(key), pane.EmptiesLine(key)}; got != want {
			t.Errorf("%q: it escapes, it empties the line: %v, want %v", key, got, want)
		}
		if enters := map[string]bool{"Enter": true, "ctrl+m": true, "Ctrl+J": true}[key]; pane.SendsEnter(key) != enters {
			t.Errorf("%q: it enters: %t, want %t", key, !enters, enters)
		}
	}
}
