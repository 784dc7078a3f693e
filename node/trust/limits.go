package trust

// Bounds of what is shown and rendered.
const (
	// MaxLabelChars bounds the label of a device, in characters.
	MaxLabelChars = 48
	// MaxMarkPartBytes bounds each part of a mark; a label of MaxLabelChars
	// characters of four bytes fits.
	MaxMarkPartBytes = 4 * MaxLabelChars
	// maxMarkBytes bounds a mark: two parts and the words around them.
	maxMarkBytes = 2*MaxMarkPartBytes + 32
	// MaxFields and MaxFieldBytes bound the header above a fence.
	MaxFields     = 16
	MaxFieldBytes = 256
	// MaxContentBytes bounds what stands inside a fence; more is cut before
	// the nonce is drawn, and the header says so.
	MaxContentBytes = 64 * 1024

	// nonceBytes is the size of a fence's nonce: 128 bits.
	nonceBytes = 16
	// maxDraws bounds how often a nonce is drawn for one rendering. A second
	// draw is needed once in 2^100 renderings; an eighth never.
	maxDraws = 8
)
