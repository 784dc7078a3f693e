package secret

import (
	"io"
	"strings"
	"unicode"
)

const (
	// CodeLen is the length of a pairing code in characters: 37 bits.
	CodeLen = 8
	// codeAlphabet holds one of each set of characters that look alike: no 0,
	// O or Q; no 1, I, L or J; 2 but no Z, 5 but no S, 8 but no B, V but no U.
	codeAlphabet = "23456789ACDEFGHKMNPRTVWXY"
	// maxTyped bounds the text that NormalizeCode looks at, in bytes.
	maxTyped = 256
)

// NewCode draws a pairing code, every character of the alphabet being as
// likely as any other. Divide it for the eye as you like: NormalizeCode
// removes what was put in.
func NewCode(random io.Reader) string {
	const fair = 256 - 256%len(codeAlphabet) // bytes from here on would favour some characters
	code := make([]byte, 0, CodeLen)
	for len(code) < CodeLen {
		if b := int(draw(random, 1)[0]); b < fair {
			code = append(code, codeAlphabet[b%len(codeAlphabet)])
		}
	}
	return string(code)
}

// NormalizeCode returns a typed or pasted code in the form of NewCode: upper
// case, without spaces, dashes and characters that cannot be seen. Text that
// holds no code comes back empty.
func NormalizeCode(typed string) string {
	if len(typed) > maxTyped {
		return ""
	}
	code := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.C, unicode.Z, unicode.Pd, unicode.Variation_Selector) {
			return -1
		}
		return unicode.ToUpper(r)
	}, typed)
	if len(code) != CodeLen || strings.Trim(code, codeAlphabet) != "" {
		return ""
	}
	return code
}
