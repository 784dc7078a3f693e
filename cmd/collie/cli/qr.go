package cli

import (
	"bufio"
	"io"

	"rsc.io/qr"
)

// printQR draws a QR code with half blocks, two rows of it in one of text, on
// a white ground with the quiet zone that readers want. A text that is too long
// for a code draws nothing.
func printQR(w io.Writer, text string) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return
	}
	const quiet = 2
	out := bufio.NewWriter(w)
	defer out.Flush()
	for y := -quiet; y < code.Size+quiet; y += 2 {
		_, _ = out.WriteString("\x1b[30;107m")
		for x := -quiet; x < code.Size+quiet; x++ {
			upper, lower := code.Black(x, y), code.Black(x, y+1)
			switch {
			case upper && lower:
				_, _ = out.WriteRune('█')
			case upper:
				_, _ = out.WriteRune('▀')
			case lower:
				_, _ = out.WriteRune('▄')
			default:
				_ = out.WriteByte(' ')
			}
		}
		_, _ = out.WriteString("\x1b[0m\n")
	}
}
