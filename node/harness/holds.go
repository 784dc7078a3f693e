package harness

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LeastTail is how much of a text's end proves that all of it is there, in an
// input that shows no more than its end.
const LeastTail = 48

// Holds reports whether all of a text has come into the input: it stands behind
// what was there before, and nothing else does. An input that is smaller shows the
// end of both; one that folds a paste away says how much was pasted. Blanks are left
// out: where rows are joined nobody knows them.
func (in *Input) Holds(before *Input, text string) bool {
	if in == nil {
		return false
	}
	was := ""
	if before != nil {
		was = before.Text
	}
	if grown(was, in.Text, text) {
		return true
	}
	begin := folds(in.Text, text)
	return begin >= 0 && Squeeze(in.Text) != Squeeze(was) && grown(was, in.Text[:begin], "")
}

func grown(before, now, text string) bool {
	now, whole := Squeeze(now), Squeeze(before)+Squeeze(text)
	return now == whole || (utf8.RuneCountInString(now) >= LeastTail && strings.HasSuffix(whole, now))
}

// folds finds a note at an input's end of a paste of this text's size: "[Pasted
// text #1 +30 lines]", "[Pasted Content 1500 chars]", "[Pasted Text: 31 lines]",
// "[Pasted ~30 lines]". One without a size is taken for what it says. It returns
// where the note begins, or -1.
func folds(shown, text string) int {
	begin := strings.LastIndex(shown, "[Pasted ")
	if begin < 0 || !strings.HasSuffix(strings.TrimSpace(shown), "]") {
		return -1
	}
	note := strings.Join(strings.Fields(shown[begin:]), " ")
	if strings.Count(note, "]") != 1 || Squeeze(text) == "" {
		return -1
	}
	_, number, sized := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(note, "]"), " lines"), " chars"), " ")
	number = number[strings.LastIndexByte(number, ' ')+1:]
	if strings.HasPrefix(number, "#") {
		return begin
	}
	n, err := strconv.Atoi(strings.TrimLeft(number, "+~"))
	if !sized || err != nil {
		return -1
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	fits := n >= lines && n <= lines+2
	if strings.HasSuffix(note, "chars]") {
		fits = n == utf8.RuneCountInString(text)
	}
	if !fits {
		return -1
	}
	return begin
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
