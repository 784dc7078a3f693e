package mask

// Control characters that matter here.
const (
	bell       = 0x07
	cancel     = 0x18
	substitute = 0x1a
	escape     = 0x1b
	rubout     = 0x7f
)

// sequence reads the escape sequence (ECMA-48, 7-bit) that begins at
// text[at], where an ESC stands, and returns where it ends. For a string
// sequence (OSC, DCS, APC, PM, SOS) from and to bound its text; otherwise both
// are 0. What is not a whole sequence ends before the first byte that cannot
// be part of it, as a terminal would have it.
func sequence(text []byte, at int) (end, from, to int) {
	i := at + 1
	if i == len(text) {
		return i, 0, 0
	}
	switch text[i] {
	case '[':
		return control(text, i+1), 0, 0
	case ']', 'P', 'X', '^', '_':
		from = i + 1
		for to = from; to < len(text); to++ {
			switch text[to] {
			case bell:
				return to + 1, from, to
			case cancel, substitute:
				return to, from, to
			case escape:
				if to+1 < len(text) && text[to+1] == '\\' {
					return to + 2, from, to
				}
				return to, from, to
			}
		}
		return to, from, to
	}
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
		i++
	}
	if i < len(text) && text[i] >= 0x30 && text[i] < rubout {
		i++
	}
	return i, 0, 0
}

// control reads a CSI sequence after its "ESC [".
func control(text []byte, i int) int {
	for i < len(text) && text[i] >= 0x30 && text[i] <= 0x3f {
		i++
	}
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
		i++
	}
	if i < len(text) && text[i] >= 0x40 && text[i] < rubout {
		i++
	}
	return i
}
