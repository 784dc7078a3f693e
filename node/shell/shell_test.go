package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"collie/node/shell"
)

func TestAWordIsQuotedWhereTheShellWouldTakeItForMore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/usr/bin/collie":  "/usr/bin/collie",
		"a@b.example:22,x": "a@b.example:22,x",
		"":                 "''",
		"two words":        "'two words'",
		"it's":             `'it'\''s'`,
		"$HOME;rm -rf *":   "'$HOME;rm -rf *'",
		"~":                "'~'",
		"/ü":               "'/ü'",
	} {
		if got := shell.Word(text); got != want {
			t.Errorf("Word(%q) = %s, want %s", text, got, want)
		}
	}
}

func FuzzWordIsReadAsItsTextByTheShellAndByText(f *testing.F) {
	for _, text := range []string{"", "plain", "it's", "'", "''", `\'`, "$(id)", "`id`", "a\nb", "!x", "漢字"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) || strings.HasSuffix(text, "\n") {
			return // no argument has the one, and $() keeps the other from us
		}
		if got := shell.Text(shell.Quoted(text)); got != text {
			t.Errorf("%s is read back as %q, want %q", shell.Quoted(text), got, text)
		}
		word := shell.Word(text)
		if got := shell.Text(word); got != text {
			t.Errorf("%s is read back as %q, want %q", word, got, text)
		}
		said, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", "printf %s "+word).Output()
		if err != nil || string(said) != text {
			t.Errorf("the shell reads %s as %q, %v, want %q", word, said, err, text)
		}
	})
}
