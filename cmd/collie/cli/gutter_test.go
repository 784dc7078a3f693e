package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/trust"
)

func TestEveryRowOfAWrappedLineHasItsMark(t *testing.T) {
	t.Parallel()
	lines := []marked{
		{"", "AT  FROM"},
		{"‹wake›", "12:00 your own wake"},
		{"‹phone:Pixel 9›", "12:01 from the phone in the kitchen"},
		{"‹walky:atlas:p3›", strings.Repeat("漢", 12)},
	}
	for cols, want := range map[int]string{
		0: `AT  FROM
12:00 your own wake  ‹wake›
12:01 from the phone in the kitchen  ‹phone:Pixel 9›
` + strings.Repeat("漢", 12) + `  ‹walky:atlas:p3›
`,
		40: `                 AT  FROM
‹wake›           12:00 your own wake
‹phone:Pixel 9›  12:01 from the phone in
‹phone:Pixel 9›  the kitchen
‹walky:atlas:p3› 漢漢漢漢漢漢漢漢漢漢漢
‹walky:atlas:p3› 漢
`,
		30: `          AT  FROM
‹wake›    12:00 your own wake
‹phone:…› 12:01 from the phone
‹phone:…› in the kitchen
‹walky:…› 漢漢漢漢漢漢漢漢漢漢
‹walky:…› 漢漢
`,
	} {
		var out strings.Builder
		printMarked(&out, cols, lines)
		if out.String() != want {
			t.Errorf("in %d columns\n%swant\n%s", cols, out.String(), want)
		}
	}
}

// Whatever is printed, no row is wider than the terminal, none but those of the
// headings is without a mark, and nothing but blanks is lost.
func FuzzPrintMarked(f *testing.F) {
	f.Add("‹phone:Pixel 9›", "a line of several words that is wrapped", 24)
	f.Add("‹wake›", "    漢字漢字漢字漢字 e\u0301\u0301", 14)
	f.Add("‹hook:claude›", "", 80)
	f.Fuzz(func(t *testing.T, mark, text string, cols int) {
		if cols < minMarkCols+4 || cols > 500 || len(text) > 4096 || !strings.HasPrefix(mark, "‹") || !utf8.ValidString(mark+text) || trust.Clean(mark+text, len(mark+text)) != mark+text {
			return // a document is UTF-8, and its fields were cleaned
		}
		var out strings.Builder
		printMarked(&out, cols, []marked{{mark, text}})
		var words string
		for row := range strings.Lines(out.String()) {
			row = strings.TrimSuffix(row, "\n")
			if displaywidth.String(row) > cols || !strings.HasPrefix(row, "‹") {
				t.Fatalf("a row of %d columns: %q", displaywidth.String(row), row)
			}
			words += row
		}
		for _, letter := range strings.ReplaceAll(text, " ", "") {
			if !strings.ContainsRune(words, letter) {
				t.Fatalf("%q is lost from %q", letter, words)
			}
		}
	})
}
