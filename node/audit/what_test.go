package audit

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTypedCharactersAreMarks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	typed := Entry{Action: "pane.keys", Outcome: "ok", What: Typed([]string{"h", "u", "n", "t", "e", "r", "2", "Enter"})}
	log := open(t, path, Options{})
	write(t, log, typed)
	log.Close()
	log = open(t, path, Options{Content: None})
	write(t, log, typed)
	lines, err := log.Tail(2)
	if err != nil {
		t.Fatal(err)
	}
	if got := *lines[0].What; got != "••••••• Enter" {
		t.Errorf("preview is %q", got)
	}
	if got := *lines[1].What; got != "Enter" {
		t.Errorf("without content it is %q", got)
	}
	if text := read(t, path); strings.Count(text, "•") != 7 || strings.Contains(text, "hunter") || strings.Count(text, `"what":"Enter"`) != 1 {
		t.Errorf("log is\n%s", text)
	}
}

func TestWhatIsShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 81)
	for _, c := range []struct {
		name          string
		what          What
		preview, none string
	}{
		{"nothing", What{}, "", ""},
		{"a text", Text("make test"), "make test", ""},
		{"a text of several lines", Text("a\r\n\tb"), "a\n\tb", ""},
		{"a text of 81 characters", Text(long), strings.Repeat("é", 80), ""},
		{"invisible characters take no room", Text(strings.Repeat("\u200b", 200) + "x"), "x", ""},
		{"an id", ID("01JDZ8K3M9X"), "01JDZ8K3M9X", "01JDZ8K3M9X"},
		{"an id with a blank is a text", ID("rm -rf"), "rm -rf", ""},
		{"an id with a control is a text", ID("a\x1bb"), "ab", ""},
		{"an id that is too long is a text", ID(strings.Repeat("a", 129)), strings.Repeat("a", 80), ""},
		{"chords and names", Typed([]string{"Ctrl+C", "Alt+x", "Ctrl+Shift+Left", "F12", "Shift+Tab", "Ctrl++"}), "Ctrl+C Alt+x Ctrl+Shift+Left F12 Shift+Tab Ctrl++", "Ctrl+C Alt+x Ctrl+Shift+Left F12 Shift+Tab Ctrl++"},
		{"shift and space type", Typed([]string{"Shift+h", "Space", "Shift+Space", " ", "é"}), "•••••", ""},
		{"names in another case", Typed([]string{"enter", "ctrl+c", "ALT+PageUp", "shift+x", "space"}), "enter ctrl+c ALT+PageUp ••", "enter ctrl+c ALT+PageUp"},
		{"several characters in one key", Typed([]string{"hunter2", "Tab", "x"}), "••••••• Tab •", "Tab"},
		{"what only looks like a name", Typed([]string{"entry", "Enter2", "Ctrl+hunter", "Ctrl+", "Foo+x", "Ctrl+é"}), strings.Repeat("•", 5+6+11+5+5+6), ""},
		{"nothing typed", Typed(nil), "", ""},
		{"many characters", Typed(strings.Split(strings.Repeat("x", 300), "")), strings.Repeat("•", 80), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.what.shown(Preview); got != c.preview {
				t.Errorf("preview is %q, want %q", got, c.preview)
			}
			if got := c.what.shown(None); got != c.none {
				t.Errorf("without content it is %q, want %q", got, c.none)
			}
		})
	}
}

func TestWithoutContentOtherFieldsStay(t *testing.T) {
	t.Parallel()
	log := open(t, filepath.Join(t.TempDir(), "audit.log"), Options{Content: None})
	write(t, log, Entry{Action: "walky.send", Session: "mailbox", Pane: "p1", Device: "Pixel", Host: "atlas", Via: "crew", What: Text("hunter2"), Outcome: "ok"})
	lines, err := log.Tail(1)
	if err != nil || lines[0].What != nil || *lines[0].Session != "mailbox" || *lines[0].Pane != "p1" || *lines[0].Device != "Pixel" || *lines[0].Host != "atlas" || *lines[0].Via != "crew" {
		t.Errorf("line is %+v, %v", lines, err)
	}
}

func FuzzTypedShowsNoCharacter(f *testing.F) {
	f.Add("h u n t e r 2 Enter Ctrl+C Shift+x")
	f.Add("Ctrl+ + Ctrl++ ++ \xff é\u200b")
	f.Fuzz(func(t *testing.T, row string) {
		keys := strings.Split(row, " ")
		shown := Typed(keys).shown(Preview)
		if len([]rune(shown)) > MaxWhatChars {
			t.Fatalf("%q is shown as %q", row, shown)
		}
		words := strings.Split(shown, " ")
		for i, word := range words {
			cutOff := i == len(words)-1 && len([]rune(shown)) == MaxWhatChars
			if strings.Trim(word, "•") != "" && !named(word) && !cutOff {
				t.Fatalf("%q is shown as %q", row, shown)
			}
		}
		if none := Typed(keys).shown(None); strings.Contains(none, "•") {
			t.Fatalf("%q is shown as %q", row, none)
		}
	})
}
