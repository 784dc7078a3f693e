package terminal

// A charset is what the bytes of ASCII stand for.
type charset byte

const (
	ascii    charset = iota
	graphics         // DEC Special Graphics
	british          // ASCII with £ for #
)

// charsets are the character sets that G0 to G3 stand for, which of them SI, SO
// and the locking shifts selected, and which SS2 or SS3 selected for the next
// character alone.
type charsets struct {
	sets     [4]charset
	selected int
	next     int // 0 for none
}

func (c *charsets) active() bool { return c.sets[c.selected] != ascii || c.next != 0 }

// designate is SCS: the intermediate of the sequence names the set, its final
// character what the set is to be. What is not known is ASCII.
func (c *charsets) designate(intermediate, final byte) {
	set := ascii
	switch final {
	case '0':
		set = graphics
	case 'A':
		set = british
	}
	c.sets[intermediate-'('] = set
}

// shown returns what the next byte shows.
func (c *charsets) shown(b byte) rune {
	set := c.sets[c.selected]
	if c.next != 0 {
		set, c.next = c.sets[c.next], 0
	}
	switch {
	case set == graphics && b >= 0x5f:
		return lineGraphics[b-0x5f]
	case set == british && b == '#':
		return '£'
	}
	return rune(b)
}

// lineGraphics is DEC Special Graphics from 0x5f on (VT100 user guide, table 3-9).
var lineGraphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
