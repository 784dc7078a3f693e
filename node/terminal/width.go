package terminal

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// runeWidth returns the columns of a character: 0, 1 or 2. Controls of any
// kind have none. What fills most screens beyond ASCII is answered without a
// table; a test holds it against the table.
func runeWidth(r rune) int {
	switch {
	case r >= 0x2500 && r < 0x25a0: // box drawing, blocks
		return 1
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4: // ideographs, Hangul
		return 2
	case r >= 0x80 && r < 0xa0: // C1
		return 0
	default:
		return displaywidth.Rune(r)
	}
}

// standsAlone reports that a character never joins the one before it, unless
// that already has marks of its own. It is false for some that do not.
func standsAlone(r rune) bool {
	switch {
	case r < 0x300, // ASCII, Latin
		r >= 0x370 && r < 0x483, r >= 0x48a && r < 0x530, // Greek, Cyrillic
		r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x2060, // punctuation
		r >= 0x2070 && r < 0x20d0, r >= 0x2100 && r < 0x2c00, // symbols, arrows, lines
		r >= 0x3000 && r < 0x302a, r >= 0x3041 && r < 0x3099, r >= 0x30a0 && r < 0xa000, // CJK, kana
		r >= 0xac00 && r < 0xd7a4,   // Hangul syllables
		r >= 0xe000 && r < 0xfb1e,   // private use, compatibility ideographs
		r >= 0xff01 && r < 0xff9e,   // full and half width
		r == utf8.RuneError,         // replacement
		r >= 0x1f300 && r < 0x1f3fb, // pictographs, but for skin tones
		r >= 0x1f400 && r < 0x1fb00,
		r >= 0x20000 && r < 0x40000: // ideographs
		return true
	}
	return false
}
