package markdown

// Bounds of one tree.
const (
	// MaxBytes is the longest source that is parsed as Markdown; a longer one
	// is shown as the text that it is.
	MaxBytes = 64 << 10
	// MaxNodes and MaxDepth bound the tree: what lies beyond is left out, or
	// shown as the text that it is.
	MaxNodes = 4000
	MaxDepth = 12
	// maxHref is the longest address of a link; a longer one is no link.
	maxHref = 2048
)
