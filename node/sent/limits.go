package sent

// Bounds of a book.
const (
	// MaxLines is how many lines are kept, the newest ones.
	MaxLines = 500
	// MaxChars is the longest line that is kept.
	MaxChars = 4096

	// maxFileBytes is more than MaxLines lines of MaxChars characters take.
	maxFileBytes = 16 << 20
	// maxNesting is how deep commands inside quotes are looked into.
	maxNesting = 3
)
