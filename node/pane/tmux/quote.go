package tmux

import (
	"fmt"
	"strings"
)

// quote writes an argument of a command so that tmux reads back exactly this
// text: nothing in it is a variable, a second command, or the end of the line.
func quote(argument string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(argument) {
		switch c := argument[i]; {
		case c == '"' || c == '\\' || c == '$':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&out, `\%03o`, c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// literal is quote for an argument that tmux expands as a format, in which
// #(command) would run one.
func literal(argument string) string { return quote(strings.ReplaceAll(argument, "#", "##")) }

// unescape decodes the output of a pane: octal escapes for what is below a
// blank, and for the backslash. It decodes in place.
func unescape(data []byte) []byte {
	out := data[:0]
	for i := 0; i < len(data); i++ {
		if data[i] == '\\' && i+3 < len(data) && isOctal(data[i+1]) && isOctal(data[i+2]) && isOctal(data[i+3]) {
			out = append(out, (data[i+1]-'0')<<6|(data[i+2]-'0')<<3|(data[i+3]-'0'))
			i += 3
			continue
		}
		out = append(out, data[i])
	}
	return out
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }
