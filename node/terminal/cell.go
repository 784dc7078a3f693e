package terminal

import "unicode/utf8"

// A cell is one column of one row in 16 bytes; the zero cell was never written
// and has the default style. A wide character has two cells: the first holds
// the text, the second is its tail.
//
//	content  bits 0–20 code point or number of a cluster, 21 cluster, 22 wide, 23 tail
//	         24–34 attributes, 36–61 foreground
//	colours  0–25 background, 26–51 underline colour
type cell struct {
	content uint64
	colours uint64
}

const (
	textMask    = 1<<21 - 1
	clusterFlag = 1 << 21
	wideFlag    = 1 << 22
	tailFlag    = 1 << 23
	contentMask = 1<<24 - 1

	attributeShift = 24

	colourMask       = 1<<26 - 1
	foregroundShift  = 36
	backgroundMask   = colourMask
	underlineShift   = 26
	underlineColours = colourMask << underlineShift
)

// Attributes of a cell. The style of an underline takes the last three bits.
const (
	bold = 1 << (attributeShift + iota)
	faint
	italic
	blink
	reverse
	hidden
	struck
	overlined
	underlineUnit // 1 single, 2 double, 3 curly, 4 dotted, 5 dashed

	underlineMask = 7 * underlineUnit
)

// A colour is a kind and a value in 26 bits; 0 is the default colour.
type colour uint64

const (
	colourKindShift = 24
	colourValueMask = 1<<colourKindShift - 1

	colourBasic   = 1 << colourKindShift // SGR 30–37 and 90–97: 0–15
	colourIndexed = 2 << colourKindShift // SGR 38;5
	colourRGB     = 3 << colourKindShift // SGR 38;2
)

func (c *cell) setForeground(v colour) {
	c.content = c.content&^(colourMask<<foregroundShift) | uint64(v)<<foregroundShift
}

func (c *cell) setBackground(v colour) {
	c.colours = c.colours&^backgroundMask | uint64(v)
}

func (c *cell) setUnderlineColour(v colour) {
	c.colours = c.colours&^underlineColours | uint64(v)<<underlineShift
}

func (c *cell) setUnderline(style uint64) {
	c.content = c.content&^underlineMask | style*underlineUnit
}

// style returns the cell without its text.
func (c cell) style() cell { return cell{c.content &^ contentMask, c.colours} }

// erased returns what an erasing control leaves behind: a blank in the
// background colour of the pen, as xterm-256color promises ("bce").
func (c cell) erased() cell { return cell{colours: c.colours & backgroundMask} }

func (c cell) wide() bool { return c.content&wideFlag != 0 }
func (c cell) tail() bool { return c.content&tailFlag != 0 }

// blank reports whether the cell shows nothing in the default style.
func (c cell) blank() bool {
	return c.colours == 0 && (c.content == 0 || c.content == ' ')
}

// clusters keeps the characters that are more than one code point. A cell
// names one by its number.
type clusters struct {
	numbers map[string]uint32
	texts   []string
	// sweepIn is how many more clusters are refused before the next sweep, so
	// that a full table costs each refused cluster little.
	sweepIn int
}

// number returns the number of a cluster, and false when there are too many.
// The caller may sweep and ask again when due says so.
func (t *clusters) number(text []byte) (uint32, bool) {
	if n, ok := t.numbers[string(text)]; ok {
		return n, true
	}
	if len(t.texts) == maxClusters {
		return 0, false
	}
	if t.numbers == nil {
		t.numbers = make(map[string]uint32)
	}
	n := uint32(len(t.texts))
	t.texts = append(t.texts, string(text))
	t.numbers[t.texts[n]] = n
	return n, true
}

// due reports whether a full table is worth a sweep.
func (t *clusters) due() bool {
	t.sweepIn--
	if t.sweepIn > 0 {
		return false
	}
	t.sweepIn = maxClusters
	return true
}

// sweep forgets every cluster that no cell of the given lines names and
// renumbers the rest.
func (t *clusters) sweep(screens ...[]*line) {
	old := t.texts
	t.texts = nil
	clear(t.numbers)
	for _, lines := range screens {
		for _, l := range lines {
			for i := range l.cells[:l.used] {
				c := &l.cells[i]
				if c.content&clusterFlag == 0 {
					continue
				}
				n, _ := t.number([]byte(old[c.content&textMask]))
				c.content = c.content&^textMask | uint64(n)
			}
		}
	}
}

// appendText appends the text of a cell. A blank is a space, a tail nothing.
func (t *clusters) appendText(dst []byte, c cell) []byte {
	switch text := c.content & textMask; {
	case c.content&(clusterFlag|tailFlag) != 0:
		if c.tail() {
			return dst
		}
		return append(dst, t.texts[text]...)
	case text == 0:
		return append(dst, ' ')
	case text < utf8.RuneSelf:
		return append(dst, byte(text))
	default:
		return utf8.AppendRune(dst, rune(text))
	}
}
