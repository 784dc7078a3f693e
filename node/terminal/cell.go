package terminal

// A cell is one column of one row in 16 bytes; the zero cell was never written
// and has the default style. A wide character has two cells: the first holds
// the text, the second is its tail.
//
//	content  bits 0–20 code point or number of a cluster, 21 cluster, 22 wide, 23 tail
//	         24–34 attributes, 36–61 foreground
//	colours  0–25 background, 26–51 underline colour, 52–63 number of a link
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

	linkShift = 52
	linkMask  = (1<<12 - 1) << linkShift
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

// style returns the cell without its text; its link is a part of that.
func (c cell) style() cell { return cell{c.content &^ contentMask, c.colours} }

// unlinked returns the cell without its link.
func (c cell) unlinked() cell { return cell{c.content, c.colours &^ linkMask} }

// erased returns what an erasing control leaves behind: a blank in the
// background colour of the pen, as xterm-256color promises ("bce").
func (c cell) erased() cell { return cell{colours: c.colours & backgroundMask} }

func (c cell) wide() bool { return c.content&wideFlag != 0 }
func (c cell) tail() bool { return c.content&tailFlag != 0 }

// blank reports whether the cell shows nothing in the default style.
func (c cell) blank() bool {
	return c.colours == 0 && (c.content == 0 || c.content == ' ')
}
