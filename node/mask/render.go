package mask

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// render appends source to dst with the spans in it hidden. The spans are
// sorted and do not overlap.
func render(dst, source []byte, spans []span) []byte {
	from := 0
	for _, s := range spans {
		if s.to <= from {
			continue
		}
		if s.from > from {
			dst = append(dst, source[from:s.from]...)
			from = s.from
		}
		dst, from = marks(dst, source, from, s.to)
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
		character, _ := firstCharacter(source[from-n:])
		if end := from - n + len(character); end > from {
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
		character, width := firstCharacter(source[from:])
		if width == 0 {
			dst = append(dst, character...)
		}
		for range width {
			dst = append(dst, mark...)
		}
		from += len(character)
	}
	return dst, from
}

// firstCharacter returns the first character as a reader sees it, with all that
// combines with it, and its columns. A byte that is not UTF-8 ends it, and is
// one without columns itself.
func firstCharacter(text []byte) (character []byte, width int) {
	characters := displaywidth.BytesGraphemes(text)
	characters.Next()
	character = characters.Value()
	for i := 0; i < len(character); {
		r, n := utf8.DecodeRune(character[i:])
		if r == utf8.RuneError && n == 1 {
			if i == 0 {
				return character[:1], 0
			}
			character = character[:i]
			return character, displaywidth.Bytes(character)
		}
		i += n
	}
	return character, characters.Width()
}
