package mask

import (
	"bytes"
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
// last byte. Bytes that are not UTF-8 have no sure width and stay, and so do
// vertical lines: they tell where a column of text ends.
func marks(dst, source []byte, from, to int) ([]byte, int) {
	if from > 0 && source[from] >= utf8.RuneSelf && !endsSequence(source, from) {
		// What combines with the readable character before is hidden too; the
		// marks make up for the columns that it added.
		_, n := utf8.DecodeLastRune(source[:from])
		character, width := firstCharacter(source[from-n:])
		if end := from - n + len(character); end > from {
			for range width - displaywidth.Bytes(source[from-n:from]) {
				dst = append(dst, mark...)
			}
			from = end
		}
	}
	for from < to {
		switch b := source[from]; {
		case b < ' ' || b == rubout:
			dst = append(dst, b)
			from++
			continue
		case b < utf8.RuneSelf && (from+1 == len(source) || source[from+1] < utf8.RuneSelf):
			dst = append(dst, mark...)
			from++
			continue
		case b == boxDrawing && isBar(source[from:]):
			dst = append(dst, source[from:from+len("│")]...)
			from += len("│")
			continue
		}
		character, width := firstCharacter(source[from:])
		if r, n := utf8.DecodeRune(character); r == utf8.RuneError && n == 1 {
			dst = append(dst, character...)
		}
		for range width {
			dst = append(dst, mark...)
		}
		from += len(character)
	}
	return dst, from
}

// endsSequence reports whether an escape sequence ends before source[at], so
// that nothing stands there to combine with.
func endsSequence(source []byte, at int) bool {
	last := bytes.LastIndexByte(source[max(0, at-maxContext):at], escape)
	if last < 0 {
		return false
	}
	end, _, _ := sequence(source, max(0, at-maxContext)+last)
	return end == at
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
