package mask

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// render appends source[from:to] to dst with the spans in it hidden. The spans
// are sorted and do not overlap.
func render(dst, source []byte, from, to int, spans []span) []byte {
	source = source[:to]
	for _, s := range spans {
		if s.to <= from {
			continue
		}
		if s.from >= to {
			break
		}
		if s.from > from {
			dst = append(dst, source[from:s.from]...)
			from = s.from
		}
		dst, from = marks(dst, source, from, min(s.to, to))
	}
	return append(dst, source[from:]...)
}

// marks appends a mark for each column of source[from:to] and returns where it
// ended: behind the character, with all that combines with it, that holds the
// last byte. Bytes that are not UTF-8 have no sure width and stay.
func marks(dst, source []byte, from, to int) ([]byte, int) {
	if from > 0 && source[from] >= utf8.RuneSelf {
		// What combines with the readable character before stays with it.
		_, n := utf8.DecodeLastRune(source[:from])
		character := displaywidth.BytesGraphemes(source[from-n:])
		character.Next()
		if end := from - n + len(character.Value()); end > from {
			dst = append(dst, source[from:end]...)
			from = end
		}
	}
	for from < to {
		if b := source[from]; b < utf8.RuneSelf && (from+1 == len(source) || source[from+1] < utf8.RuneSelf) {
			if b < ' ' || b == rubout {
				dst = append(dst, b)
			} else {
				dst = append(dst, mark...)
			}
			from++
			continue
		}
		if r, n := utf8.DecodeRune(source[from:]); r == utf8.RuneError && n == 1 {
			dst = append(dst, source[from])
			from++
			continue
		}
		character := displaywidth.BytesGraphemes(source[from:])
		character.Next()
		value := character.Value()
		if character.Width() == 0 {
			dst = append(dst, value...)
		}
		for range character.Width() {
			dst = append(dst, mark...)
		}
		from += len(value)
	}
	return dst, from
}
