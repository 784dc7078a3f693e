package files

import (
	"strings"

	"collie/node/trust"
)

// replacement stands for a character that could not be seen, or that would turn
// the text around it.
const replacement = '\uFFFD'

// Plain returns a text of one line with a visible mark for every control,
// invisible or direction-changing character, and for bytes that are not UTF-8.
// A name that it changes cannot be typed back.
func Plain(line string) string { return plain(line, trust.Clean(line, len(line)*4), false) }

// PlainText is Plain for a text of several lines; line ends become newlines.
func PlainText(text string) string {
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return plain(text, trust.CleanText(text, len(text)*4), true)
}

func plain(text, clean string, lines bool) string {
	if text == clean {
		return text
	}
	return strings.Map(func(c rune) rune {
		if c >= ' ' && c < 0x7f || lines && (c == '\n' || c == '\t') {
			return c
		}
		if one := string(c); trust.Clean(one, len(one)) != one {
			return replacement
		}
		return c
	}, text)
}
