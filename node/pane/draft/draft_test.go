package draft_test

import (
	"bytes"
	"testing"

	"collie/node/pane/draft"
)

func TestALineIsBegunUntilItIsEnteredOrThrownAway(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		begin draft.Line
		typed []string
		want  draft.Line
	}{
		"nothing":                         {draft.Empty, nil, draft.Empty},
		"nothing, and nobody knows":       {draft.Unknown, nil, draft.Unknown},
		"half a line":                     {draft.Empty, []string{"rm -rf half"}, draft.Begun},
		"a line, and half of the next":    {draft.Empty, []string{"one\rtw"}, draft.Begun},
		"a line":                          {draft.Unknown, []string{"o", "ne", "\r"}, draft.Empty},
		"a line that was thrown away":     {draft.Empty, []string{"one", "\x15"}, draft.Empty},
		"an Enter without a byte":         {draft.Begun, []string{"", ""}, draft.Begun},
		"a paste that ends in a newline":  {draft.Empty, []string{"\x1b[200~one\n\x1b[201~"}, draft.Begun},
		"a paste in pieces":               {draft.Empty, []string{"\x1b[2", "00~one\n"}, draft.Begun},
		"a paste, entered":                {draft.Empty, []string{"\x1b[200~one\ntwo\x1b[20", "1~", "\r"}, draft.Empty},
		"a newline inside and one behind": {draft.Empty, []string{"\x1b[200~one\n", "\n", "\x1b[201~", "\n"}, draft.Empty},
		"an Escape before the bracket":    {draft.Empty, []string{"\x1b\x1b[200~one\n"}, draft.Begun},
		"Alt+Enter":                       {draft.Empty, []string{"one\x1b\r"}, draft.Begun},
		"Escape, and then Enter":          {draft.Empty, []string{"one\x1b", "\r"}, draft.Empty},
		"Ctrl+D behind half a line":       {draft.Empty, []string{"half\x04"}, draft.Begun},
		"Ctrl+D in an empty line":         {draft.Empty, []string{"\x04"}, draft.Empty},
		"half of it erased":               {draft.Empty, []string{"one two", "\x1b[D", "\x15"}, draft.Begun},
		"half of it erased after Ctrl+A":  {draft.Empty, []string{"one two\x01\x06\x15"}, draft.Begun},
		"half of it erased after Alt+B":   {draft.Empty, []string{"one two", "\x1bb", "\x15"}, draft.Begun},
		"half erased, and then entered":   {draft.Empty, []string{"one", "\x1b[D", "\x15\r", "two\x15"}, draft.Empty},
		"a typing error, and erased":      {draft.Empty, []string{"onw\x7fe\x15"}, draft.Empty},
		"erased behind who knows what":    {draft.Unknown, []string{"half\x15"}, draft.Unknown},
		"erased after an earlier node":    {draft.Begun, []string{"half\x15"}, draft.Begun},
		"a paste of one line, erased":     {draft.Empty, []string{"\x1b[200~one\x1b[201~", "\x15"}, draft.Empty},
		"a paste of two lines, erased":    {draft.Empty, []string{"\x1b[200~one\ntwo\x1b[201~", "\x15"}, draft.Begun},
		"a cursor key":                    {draft.Empty, []string{"\x1b[A"}, draft.Begun},
	} {
		tracker := draft.Begin(tc.begin)
		for _, typed := range tc.typed {
			tracker.Feed([]byte(typed))
		}
		if got := tracker.Line(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func FuzzTracker(f *testing.F) {
	f.Add([]byte("\x1b[200~a\n\x1b[201~\r"), 3)
	f.Add([]byte("a\x1b[D\x15\x04"), 2)
	f.Fuzz(func(t *testing.T, typed []byte, cut int) {
		if cut < 0 || cut > len(typed) {
			return
		}
		tracker := draft.Begin(draft.Unknown)
		tracker.Feed(typed[:cut])
		tracker.Feed(typed[cut:])
		got, last := tracker.Line(), byte('\r')
		if held := bytes.TrimRight(typed, "\x04"); len(held) > 0 {
			last = held[len(held)-1]
		}
		if got == draft.Unknown && bytes.Contains(typed, []byte("\r")) && !bytes.Contains(typed, []byte("\x1b")) {
			t.Errorf("after %q nothing is known", typed)
		}
		if got == draft.Empty && !draft.Empties(last) {
			t.Errorf("%q counts as entered", typed)
		}
	})
}
