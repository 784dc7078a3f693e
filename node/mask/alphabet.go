package mask

import "math/bits"

// An alphabet is a set of bytes that a part of a secret is written in.
type alphabet uint16

const (
	digit      alphabet = 1 << iota // 0-9
	lowerHex                        // 0-9a-f
	upperHex                        // 0-9A-F
	base32                          // A-Z2-7
	upper                           // A-Z0-9
	lowerAlnum                      // a-z0-9
	alnum                           // A-Za-z0-9
	word                            // alnum and _
	base64Std                       // alnum and +/
	url                             // alnum and -_
	dotted                          // url and .
	token68                         // what RFC 9110 lets a credential be: alnum and -._~+/=
	visible                         // everything but blanks and controls, bytes of other scripts too
	alphabets  = iota
)

// members says of each byte which alphabets it is in.
var members = func() (table [256]alphabet) {
	add := func(a alphabet, set string) {
		for i := range len(set) {
			table[set[i]] |= a
		}
	}
	const (
		figures = "0123456789"
		lower   = "abcdefghijklmnopqrstuvwxyz"
		capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		letters = lower + capital
	)
	add(digit, figures)
	add(lowerHex, figures+"abcdef")
	add(upperHex, figures+"ABCDEF")
	add(base32, capital+"234567")
	add(upper, capital+figures)
	add(lowerAlnum, lower+figures)
	add(alnum, letters+figures)
	add(word, letters+figures+"_")
	add(base64Std, letters+figures+"+/")
	add(url, letters+figures+"-_")
	add(dotted, letters+figures+"-_.")
	add(token68, letters+figures+"-._~+/=")
	for b := 0x21; b < 0x100; b++ {
		if b != 0x7f {
			table[b] |= visible
		}
	}
	return table
}()

func in(b byte, a alphabet) bool { return members[b]&a != 0 }

func isLetter(b byte) bool { return in(b, alnum) && !in(b, digit) }

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// index returns the place of a single alphabet among all.
func (a alphabet) index() int { return bits.TrailingZeros16(uint16(a)) }

// The mark that stands for one hidden column.
const mark = "•"

// isMark reports whether a mark stands at text[at].
func isMark(text []byte, at int) bool {
	return at >= 0 && at+len(mark) <= len(text) && string(text[at:at+len(mark)]) == mark
}
