package terminal

// Bounds of what one screen keeps. Its size is bounded by [grid.MaxCols] and
// [grid.MaxRows], its title by [grid.MaxTitleBytes].
const (
	// maxParameter is the largest number in a control sequence; a larger one
	// counts as this one.
	maxParameter = 1<<16 - 1
	// maxDigits is how many digits of a number are read.
	maxDigits = 9
	// maxParameters is how many numbers of one control sequence count.
	maxParameters = 32
	// maxStringBytes is how much of an OSC, DCS, SOS, PM or APC string is kept;
	// the rest of it is swallowed.
	maxStringBytes = 4 * 1024
	// maxClusterBytes bounds one character with its combining marks, so that a
	// row of [grid.MaxCols] cells stays within [grid.MaxRowBytes].
	maxClusterBytes = 32
	// maxClusters is how many different characters of more than one code point
	// a screen shows at once. One more loses its marks.
	maxClusters = 4096
	// maxLinks is how many different targets of links a screen shows at once;
	// each is at most [grid.MaxLinkBytes]. Text beyond them is not linked.
	maxLinks = 1024
	// maxStyles is how many SGR strings are remembered.
	maxStyles = 1024
	// maxTitles is the depth of the title stack.
	maxTitles = 8
	// maxReplyBytes bounds the answers that nobody has taken yet.
	maxReplyBytes = 4 * 1024
	// maxScrollbackBytes bounds the scrollback of one screen, whatever its
	// number of lines.
	maxScrollbackBytes = 16 * 1024 * 1024
	// scrollbackChunkBytes is the unit in which scrollback is kept. The longest
	// possible line fits.
	scrollbackChunkBytes = 64 * 1024
	// maxSpareChunks is how many empty chunks are kept for later.
	maxSpareChunks = 4
	// armourColumns is how long the lines of a text in armour are (RFC 7468).
	armourColumns = 64
	// maxPulledRows is how many rows of scrollback one resize looks at.
	maxPulledRows = 500
)
