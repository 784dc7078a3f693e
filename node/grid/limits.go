package grid

// Bounds of a screen. A frame outside them is refused whole.
const (
	MaxCols = 1000
	MaxRows = 500
	// MaxTitleBytes and MaxHashBytes bound Frame.Title and Frame.Screen.
	MaxTitleBytes = 512
	MaxHashBytes  = 128
	// MaxStyleBytes bounds the style of one run.
	MaxStyleBytes = 128
	// MaxLinkBytes bounds the link of one run, MaxRowLinkBytes those of one row.
	MaxLinkBytes    = 2 << 10
	MaxRowLinkBytes = 8 << 10
	// MaxRowBytes bounds the text of one row: MaxCols cells of a base
	// character with a few combining marks.
	MaxRowBytes = 32 << 10
	// MaxAbove bounds the rows that come with a screen or a piece of scrollback
	// so that a mask can read them with it: a private key of 16384 bits takes
	// 200 rows of 64 columns.
	MaxAbove = 256
	// MaxScreenBytes bounds the text, the styles and the links of all rows that a Screen
	// keeps: 400 000 cells, each in a colour of its own.
	MaxScreenBytes = 16 << 20
)
