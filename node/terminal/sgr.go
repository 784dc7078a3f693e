package terminal

import (
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// selectGraphics is SGR. Colours and underline styles come in the form of ITU
// T.416, with colons, and in the older one with semicolons.
func (s *Screen) selectGraphics(params ansi.Params) {
	if len(params) == 0 {
		s.resetGraphics()
		return
	}
	for i := 0; i < len(params); {
		if group := colons(params[i:]); group > 1 {
			s.selectGroup(params[i : i+group])
			i += group
			continue
		}
		n := params[i].Param(0)
		i++
		if n == 38 || n == 48 || n == 58 {
			v, used, ok := semicolonColour(params[i:])
			if ok {
				s.setColour(n, v)
			}
			i += used
			continue
		}
		s.selectGraphic(n)
	}
}

// resetGraphics is SGR 0. A link is no style and goes on.
func (s *Screen) resetGraphics() { s.pen = cell{colours: s.pen.colours & linkMask} }

// colons returns how many of the parameters the first one spans.
func colons(params ansi.Params) int {
	n := 1
	for n < len(params) && params[n-1].HasMore() {
		n++
	}
	return n
}

// selectGroup takes one parameter with its sub-parameters.
func (s *Screen) selectGroup(group ansi.Params) {
	switch n := group[0].Param(0); n {
	case 4:
		if style := group[1].Param(0); style <= 5 {
			s.pen.setUnderline(uint64(style))
		}
	case 38, 48, 58:
		switch kind := group[1].Param(0); {
		case kind == 2 && len(group) >= 6: // 2, colour space, red, green, blue
			if v, ok := rgb(group[3:]); ok {
				s.setColour(n, v)
			}
		case kind == 2:
			if v, ok := rgb(group[2:]); ok {
				s.setColour(n, v)
			}
		case kind == 5:
			if v, ok := indexed(group[2:]); ok {
				s.setColour(n, v)
			}
		}
	}
}

// semicolonColour reads what follows 38, 48 or 58 and says how many parameters
// it took.
func semicolonColour(params ansi.Params) (v colour, used int, ok bool) {
	if len(params) == 0 {
		return 0, 0, false
	}
	switch params[0].Param(0) {
	case 2:
		v, ok = rgb(params[1:])
		return v, min(4, len(params)), ok
	case 5:
		v, ok = indexed(params[1:])
		return v, min(2, len(params)), ok
	}
	return 0, 1, false
}

func rgb(params ansi.Params) (colour, bool) {
	if len(params) < 3 {
		return 0, false
	}
	r, g, b := params[0].Param(0), params[1].Param(0), params[2].Param(0)
	return colour(colourRGB | r<<16 | g<<8 | b), r|g|b <= 255
}

func indexed(params ansi.Params) (colour, bool) {
	if len(params) < 1 {
		return 0, false
	}
	n := params[0].Param(0)
	return colour(colourIndexed | n), n <= 255
}

func (s *Screen) setColour(parameter int, v colour) {
	switch parameter {
	case 38:
		s.pen.setForeground(v)
	case 48:
		s.pen.setBackground(v)
	case 58:
		s.pen.setUnderlineColour(v)
	}
}

// selectGraphic takes one plain parameter.
func (s *Screen) selectGraphic(n int) {
	pen := &s.pen
	switch {
	case n == 0:
		s.resetGraphics()
	case n >= 30 && n <= 37:
		pen.setForeground(colour(colourBasic | n - 30))
	case n >= 40 && n <= 47:
		pen.setBackground(colour(colourBasic | n - 40))
	case n >= 90 && n <= 97:
		pen.setForeground(colour(colourBasic | n - 90 + 8))
	case n >= 100 && n <= 107:
		pen.setBackground(colour(colourBasic | n - 100 + 8))
	case n == 39:
		pen.setForeground(0)
	case n == 49:
		pen.setBackground(0)
	case n == 59:
		pen.setUnderlineColour(0)
	case n == 4:
		pen.setUnderline(1)
	case n == 21:
		pen.setUnderline(2)
	case n == 24:
		pen.setUnderline(0)
	default:
		on, off := attributes(n)
		pen.content = pen.content&^off | on
	}
}

// attributes returns what a parameter sets and what it resets.
func attributes(n int) (on, off uint64) {
	switch n {
	case 1:
		return bold, 0
	case 2:
		return faint, 0
	case 3:
		return italic, 0
	case 5, 6:
		return blink, 0
	case 7:
		return reverse, 0
	case 8:
		return hidden, 0
	case 9:
		return struck, 0
	case 53:
		return overlined, 0
	case 22:
		return 0, bold | faint
	case 23:
		return 0, italic
	case 25:
		return 0, blink
	case 27:
		return 0, reverse
	case 28:
		return 0, hidden
	case 29:
		return 0, struck
	case 55:
		return 0, overlined
	}
	return 0, 0
}

// styleString returns the SGR parameters of a style without a link in a fixed order:
// attributes by number, foreground, background, underline colour.
func (s *Screen) styleString(style cell) string {
	if style == (cell{}) {
		return ""
	}
	text, ok := s.styles[style]
	if !ok {
		if len(s.styles) == maxStyles {
			clear(s.styles)
		}
		text = string(appendStyle(nil, style))
		s.styles[style] = text
	}
	return text
}

func appendStyle(dst []byte, style cell) []byte {
	for _, a := range [...]struct {
		bit  uint64
		text string
	}{
		{bold, "1"},
		{faint, "2"},
		{italic, "3"},
		{0, ""},
		{blink, "5"},
		{reverse, "7"},
		{hidden, "8"},
		{struck, "9"},
		{overlined, "53"},
	} {
		switch {
		case a.bit == 0:
			dst = appendUnderline(dst, style.content&underlineMask/underlineUnit)
		case style.content&a.bit != 0:
			dst = append(separate(dst), a.text...)
		}
	}
	dst = appendColour(dst, colour(style.content>>foregroundShift), 30)
	dst = appendColour(dst, colour(style.colours&backgroundMask), 40)
	return appendColour(dst, colour(style.colours>>underlineShift&colourMask), 50)
}

func appendUnderline(dst []byte, style uint64) []byte {
	switch style {
	case 0:
		return dst
	case 1:
		return append(separate(dst), '4')
	default:
		return strconv.AppendUint(append(separate(dst), "4:"...), style, 10)
	}
}

// appendColour writes a colour whose basic parameters start at base.
func appendColour(dst []byte, v colour, base uint64) []byte {
	value := uint64(v & colourValueMask)
	switch v &^ colourValueMask {
	case colourBasic:
		if value >= 8 {
			base += 60 - 8
		}
		return strconv.AppendUint(separate(dst), base+value, 10)
	case colourIndexed:
		dst = strconv.AppendUint(separate(dst), base+8, 10)
		return strconv.AppendUint(append(dst, ";5;"...), value, 10)
	case colourRGB:
		dst = strconv.AppendUint(separate(dst), base+8, 10)
		for _, part := range [...]uint64{2, value >> 16, value >> 8 & 0xff, value & 0xff} {
			dst = strconv.AppendUint(append(dst, ';'), part, 10)
		}
	}
	return dst
}

func separate(dst []byte) []byte {
	if len(dst) > 0 {
		dst = append(dst, ';')
	}
	return dst
}
