package terminal

// charsets are the character sets that G0 to G3 stand for, and which of them
// SI and SO selected.
type charsets struct {
	graphics [4]bool // DEC Special Graphics; otherwise ASCII
	selected int
}

func (c *charsets) active() bool { return c.graphics[c.selected] }

// designate is SCS: the intermediate of the sequence names the set, its final
// character what the set is to be.
func (c *charsets) designate(intermediate, final byte) {
	c.graphics[intermediate-'('] = final == '0'
}

// lineGraphics is DEC Special Graphics from 0x5f on (VT100 user guide, table 3-9).
var lineGraphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// graphic returns what a byte shows in DEC Special Graphics.
func graphic(b byte) rune {
	if b < 0x5f {
		return rune(b)
	}
	return lineGraphics[b-0x5f]
}
