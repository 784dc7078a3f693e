package grid

import (
	"strings"
	"unicode/utf8"
)

// turning are the marks with which programs show that they are at work, beside the
// dots of braille.
const turning = `|/-\◐◓◑◒◴◷◶◵◰◳◲◱▖▘▝▗✢✳✶✻✽·∗`

// Still returns the text of rows, each without the blanks at its end, and with one
// sign for whatever turning mark begins or ends it as a word of its own: a program
// that is at work and says nothing new has the same rows.
func Still(rows []Row) []string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = still(strings.TrimRight(row.Text(), " "))
	}
	return texts
}

func still(text string) string {
	begin := len(text) - len(strings.TrimLeft(text, " "))
	if c, size := utf8.DecodeRuneInString(text[begin:]); turns(c) && (begin+size == len(text) || text[begin+size] == ' ') {
		text = text[:begin] + "•" + text[begin+size:]
	}
	if c, size := utf8.DecodeLastRuneInString(text); turns(c) && len(text) > size && text[len(text)-size-1] == ' ' {
		text = text[:len(text)-size] + "•"
	}
	return text
}

func turns(c rune) bool { return strings.ContainsRune(turning, c) || (c > 0x2800 && c <= 0x28ff) }
