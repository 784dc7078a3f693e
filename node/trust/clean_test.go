package trust

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanDropsThenCuts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in   string
		max        int
		line, text string
	}{
		{"plain text stays", "héllo wörld 漢字 👍", 64, "héllo wörld 漢字 👍", "héllo wörld 漢字 👍"},
		{"newline and tab stay in text alone", "a\tb\nc", 64, "abc", "a\tb\nc"},
		{"carriage return, escape and bell go", "a\r\x1b[31m\ab", 64, "a[31mb", "a[31mb"},
		{"DEL and C1 go", "a\x7f\u0080\u0085\u009b\u009f\u00a0b", 64, "a\u00a0b", "a\u00a0b"},
		{"a lone C1 byte is no control", "a\x9b31mb", 64, "a\ufffd31mb", "a\ufffd31mb"},
		{"zero width, bidi, tags go", "a\u200b\u200f\u061c\u202a\u202e\u2060\u2066\u2069\ufeff\U000e0001\U000e007fb", 64, "ab", "ab"},
		{"their neighbours stay", "\u200a\u2010\u2029\u202f\u2061\u2065\u206a\u2027", 64, "\u200a\u2010\u2029\u202f\u2061\u2065\u206a\u2027", "\u200a\u2010\u2029\u202f\u2061\u2065\u206a\u2027"},
		{"dropping joins no bytes", "a\xe2\x00\x80\x8bb", 64, "a\ufffd\ufffd\ufffdb", "a\ufffd\ufffd\ufffdb"},
		{"what is dropped takes no room", "\x1b\x1b\x1b\x1babcdef", 6, "abcdef", "abcdef"},
		{"the ellipsis is inside the bound", "abcdefgh", 7, "abcd…", "abcd…"},
		{"the cut is on a whole character", "ééééé", 8, "éé…", "éé…"},
		{"four-byte characters", "👍👍👍", 9, "👍…", "👍…"},
		{"too small for an ellipsis", "abc", 2, "ab", "ab"},
		{"too small for a character", "漢字", 2, "", ""},
		{"no room", "abc", 0, "", ""},
		{"less than no room", "abc", -1, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(c.in, c.max); got != c.line {
				t.Errorf("line is %q, want %q", got, c.line)
			}
			if got := CleanText(c.in, c.max); got != c.text {
				t.Errorf("text is %q, want %q", got, c.text)
			}
		})
	}
}

func TestCleanTextIsNotCopied(t *testing.T) {
	text := strings.Repeat("a line of plain text, even with é\n", 100)
	if n := testing.AllocsPerRun(10, func() { CleanText(text, len(text)) }); n != 0 {
		t.Errorf("%v allocations for text that needs no cleaning", n)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[0m\u200b\u202e\xff漢字👍\r\n\tz", 12)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, s string, maxBytes int) {
		for name, clean := range map[string]func(string, int) string{"Clean": Clean, "CleanText": CleanText} {
			got := clean(s, maxBytes)
			if !utf8.ValidString(got) || len(got) > max(maxBytes, 0) {
				t.Fatalf("%s: %q of at most %d bytes", name, got, maxBytes)
			}
			if again := clean(got, maxBytes); again != got {
				t.Fatalf("%s: cleaned again %q became %q", name, got, again)
			}
			for _, c := range got {
				if invisible(c) || control(c) && (name == "Clean" || c != '\n' && c != '\t') {
					t.Fatalf("%s: %q holds %U", name, got, c)
				}
			}
		}
	})
}

func TestLabelIsOneCleanLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"My phone":                       "My phone",
		"  Ana's Pixel\u200b ":           "Ana's Pixel",
		"télé\x1bphone":                  "téléphone",
		"...":                            "...",
		strings.Repeat("漢", 48):          strings.Repeat("漢", 48),
		strings.Repeat("a", 48) + "\x00": strings.Repeat("a", 48),
	} {
		if got, err := Label(in); err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestLabelRefuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing":              "",
		"blanks":               " \t ",
		"only invisible":       "\u200b\ufeff",
		"49 characters":        strings.Repeat("é", 49),
		"a slash":              "a/b",
		"a newline":            "a\nb",
		"a carriage return":    "a\rb",
		"a line separator":     "a\u2028b",
		"this folder":          ".",
		"the folder above":     "..",
		"the folder, obscured": ".\u200b.",
	} {
		if got, err := Label(in); !errors.Is(err, ErrLabel) || got != "" {
			t.Errorf("%s became %q, %v", name, got, err)
		}
	}
}
