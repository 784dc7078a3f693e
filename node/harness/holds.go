package harness

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastTail is how much of a text's end proves that all of it is there, in an
// input that shows no more than its end.
const leastTail = 48

// Holds reports whether all of a text has come into the input: it stands at its
// end, now and not before. An input that is smaller than the text shows the end
// of it; one that folds a paste away says how much was pasted. Blanks are left
// out: where rows are joined nobody knows them.
func (in *Input) Holds(before *Input, text string) bool {
	if in == nil {
		return false
	}
	now, want := Squeeze(in.Text), Squeeze(text)
	if want == "" {
		return true
	}
	if before != nil && now == Squeeze(before.Text) {
		return false
	}
	if strings.HasSuffix(now, want) {
		return true
	}
	if utf8.RuneCountInString(now) >= leastTail && strings.HasSuffix(want, now) {
		return true
	}
	return folds(in.Text, text)
}

// folds reports an input that ends in a note of a paste of this text's size:
// "[Pasted text #1 +30 lines]", "[Pasted Content 1500 chars]", "[Pasted Text: 31
// lines]", "[Pasted ~30 lines]". One without a size is taken for what it says.
func folds(shown, text string) bool {
	begin := strings.LastIndex(shown, "[Pasted ")
	if begin < 0 || !strings.HasSuffix(strings.TrimSpace(shown), "]") {
		return false
	}
	note := strings.Join(strings.Fields(shown[begin:]), " ")
	if strings.Count(note, "]") != 1 {
		return false
	}
	_, number, sized := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(note, "]"), " lines"), " chars"), " ")
	number = number[strings.LastIndexByte(number, ' ')+1:]
	if strings.HasPrefix(number, "#") {
		return true
	}
	n, err := strconv.Atoi(strings.TrimLeft(number, "+~"))
	if !sized || err != nil {
		return false
	}
	if strings.HasSuffix(note, "chars]") {
		return n == utf8.RuneCountInString(text)
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	return n >= lines && n <= lines+2
}

// Squeeze leaves out what a screen does not keep: blanks and line ends.
func Squeeze(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '\u00a0' {
			return -1
		}
		return c
	}, text)
}
