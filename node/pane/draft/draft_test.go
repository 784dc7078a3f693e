package draft_test

import (
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
	f.Fuzz(func(t *testing.T, typed []byte, cut int) {
		if cut < 0 || cut > len(typed) {
			return
		}
		tracker := draft.Begin(draft.Unknown)
		tracker.Feed(typed[:cut])
		tracker.Feed(typed[cut:])
		if got := tracker.Line(); len(typed) > 0 && got == draft.Unknown {
			t.Errorf("after %q nothing is known", typed)
		}
		if got := tracker.Line(); len(typed) > 0 && got == draft.Empty && !draft.Enters(typed[len(typed)-1]) {
			t.Errorf("%q counts as entered", typed)
		}
	})
}
