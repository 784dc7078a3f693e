package trust

import (
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Clean makes s fit for a field of one line: control characters (C0, DEL, C1)
// are dropped, then invisible and direction-changing ones, then the rest is
// cut to maxBytes on a whole character, ending in "…". A byte that is not
// UTF-8 becomes U+FFFD, since alone it could be a C1 control of a terminal.
//
// The text was changed if and only if the result differs from s. Cleaning
// cleaned text changes nothing.
func Clean(s string, maxBytes int) string {
	return cut(strip(s, false), maxBytes)
}

// CleanText is Clean for text of several lines: newline and tab stay.
func CleanText(s string, maxBytes int) string {
	return cut(strip(s, true), maxBytes)
}

// strip drops what no field may hold. It looks at decoded characters, so that
// dropping one can never join the bytes around it into another.
func strip(s string, lines bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(c rune) bool { return dropped(c, lines) }) < 0 {
		return s
	}
	var clean strings.Builder
	clean.Grow(len(s))
	for _, c := range s {
		if !dropped(c, lines) {
			clean.WriteRune(c)
		}
	}
	return clean.String()
}

func dropped(c rune, lines bool) bool {
	return control(c) && (!lines || c != '\n' && c != '\t') || invisible(c)
}

// control reports C0, DEL and C1.
func control(c rune) bool { return c < 0x20 || c >= 0x7f && c < 0xa0 }

// invisible reports characters without a width that hide text or turn its
// direction: zero-width ones, bidi marks, embeddings, overrides and isolates,
// the word joiner, the byte order mark, tag characters.
func invisible(c rune) bool {
	switch {
	case c >= 0x200b && c <= 0x200f, c == 0x061c,
		c >= 0x202a && c <= 0x202e, c == 0x2060,
		c >= 0x2066 && c <= 0x2069, c == 0xfeff,
		c >= 0xe0000 && c <= 0xe007f:
		return true
	}
	return false
}

// cut bounds valid UTF-8 to maxBytes, the ellipsis included. A field too small
// for the ellipsis is cut without one.
func cut(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	end := maxBytes - len(ellipsis)
	tail := ellipsis
	if end < 0 {
		end, tail = max(maxBytes, 0), ""
	}
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + tail
}
